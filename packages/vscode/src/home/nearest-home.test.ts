import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openHome } from '@cadre/home'
import { expect, onTestFinished, test } from 'vitest'
import { nearestHome } from './nearest-home.ts'

function folders(...names: string[]): (name: string) => string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-nearest-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const name of names) mkdirSync(path.join(root, name), { recursive: true })
  return (name) => path.join(root, name)
}

test.each([
  ['in the folder itself', ['a/.cadre'], 'a', 'a/.cadre'],
  ['above it', ['.cadre', 'a/b'], 'a/b', '.cadre'],
  [
    'at the top of the repository',
    ['.cadre', 'repo/.git', 'repo/.cadre', 'repo/src'],
    'repo/src',
    'repo/.cadre',
  ],
  ['around a workspace of an agent', ['.cadre/workspaces/w/.git'], '.cadre/workspaces/w', '.cadre'],
])('finds the home %s, like the command', (_, names, folder, expected) => {
  const at = folders(...names)
  const env = { HOME: '/nowhere' }
  expect(nearestHome(at(folder), env)).toBe(at(expected))
  expect(openHome({ cwd: at(folder), env }).path).toBe(at(expected))
})

test.each([
  ['above the top of the repository', ['.cadre', 'repo/.git', 'repo/src'], 'repo/src'],
  ["that is the user's own, above", ['.cadre', 'notes'], 'notes'],
])('finds no home %s', (_, names, folder) => {
  const at = folders(...names)
  const env = { HOME: at('') }
  expect(nearestHome(at(folder), env)).toBeUndefined()
  expect(openHome({ cwd: at(folder), env }).path).not.toBe(at('.cadre'))
})

test('finds the home that the environment names, but not a file in its place', () => {
  const at = folders('mine', 'a')
  expect(nearestHome(at('a'), { CADRE_HOME: '../mine' })).toBe(at('mine'))
  expect(nearestHome(at('a'), { CADRE_HOME: '../other' })).toBeUndefined()
  writeFileSync(at('a/.cadre'), '')
  expect(nearestHome(at('a'), { HOME: at('') })).toBeUndefined()
})
