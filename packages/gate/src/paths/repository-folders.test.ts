import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { gitFoldersOf } from './repository-folders.ts'

it('finds the git folders of a worktree, even after they change', () => {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-git-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const at = (...names: string[]) => path.join(root, ...names)
  mkdirSync(at('one'))
  mkdirSync(at('another'))
  expect(gitFoldersOf(root)).toBeUndefined()
  writeFileSync(at('.git'), 'gitdir: one\n')
  expect(gitFoldersOf(root)).toMatchObject({ own: at('one'), common: at('one') })
  expect(gitFoldersOf(root)).toMatchObject({ own: at('one'), common: at('one') })
  writeFileSync(at('one', 'commondir'), '../repository\n')
  expect(gitFoldersOf(root)).toMatchObject({ own: at('one'), common: at('repository') })
  writeFileSync(at('one', 'commondir'), '../other\n')
  expect(gitFoldersOf(root)).toMatchObject({ own: at('one'), common: at('other') })
  writeFileSync(at('.git'), 'gitdir: another\n')
  expect(gitFoldersOf(root)).toMatchObject({ own: at('another'), common: at('another') })
  rmSync(at('.git'))
  mkdirSync(at('.git'))
  expect(gitFoldersOf(root)).toEqual({ own: at('.git'), common: at('.git') })
})
