import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { realPathOf } from './files.ts'

const folder = () => realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-real-path-')))

test('follows a link to a file that does not exist yet, through folders that are links', () => {
  const top = folder()
  mkdirSync(path.join(top, 'real'))
  symlinkSync('real', path.join(top, 'alias'))
  symlinkSync('../alias/later/file.txt', path.join(top, 'real', 'link'))
  expect(realPathOf(path.join(top, 'alias', 'link'))).toBe(path.join(top, 'real', 'later', 'file.txt'))
  expect(realPathOf(path.join(top, 'alias', 'none', 'x'))).toBe(path.join(top, 'real', 'none', 'x'))
})

test('ends for circular links, and for links that name the next one twice', () => {
  const top = folder()
  symlinkSync('b', path.join(top, 'a'))
  symlinkSync('a', path.join(top, 'b'))
  expect(path.dirname(realPathOf(path.join(top, 'a')))).toBe(top)
  for (let link = 0; link < 60; link++)
    symlinkSync(`l${link + 1}/../l${link + 1}/x`, path.join(top, `l${link}`))
  expect(realPathOf(path.join(top, 'l0'))).toContain(top)
})
