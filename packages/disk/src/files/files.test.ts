import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isFolder, linkTarget, realPathOrSelf } from './files.ts'

const top = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-files-')))
const at = (...names: string[]) => path.join(top, ...names)
mkdirSync(at('folder'))
writeFileSync(at('file'), '')
symlinkSync('folder', at('link'))
symlinkSync('missing', at('dangling'))
symlinkSync('loop', at('loop'))

test('a link to a folder counts as a folder', () => {
  expect(['folder', 'link'].map((name) => isFolder(at(name)))).toEqual([true, true])
  expect(['file', 'dangling', 'missing'].map((name) => isFolder(at(name)))).toEqual(Array(3).fill(false))
  expect(() => isFolder(at('loop'))).toThrow(/ELOOP/)
})

test('reads the target of a link, even if it does not exist', () => {
  expect(linkTarget(at('dangling'))).toBe('missing')
  expect(['folder', 'file', 'missing'].map((name) => linkTarget(at(name)))).toEqual(Array(3).fill(undefined))
})

test('a path that does not exist is its own real path', () => {
  expect(realPathOrSelf(at('link'))).toBe(at('folder'))
  expect(['link/missing', 'dangling', 'loop'].map((name) => realPathOrSelf(at(name)))).toEqual(
    ['link/missing', 'dangling', 'loop'].map((name) => at(name)),
  )
})
