import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { dropProjectPath, restorePath } from './project-path.ts'

let root: string
let project: string

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-path-')))
  project = path.join(root, 'project')
  for (const name of ['project/bin', 'user/bin', 'outside'])
    mkdirSync(path.join(root, name), { recursive: true })
  return () => rmSync(root, { recursive: true, force: true })
})

it('drops relative entries and those inside the project, even through links, until it is trusted', () => {
  symlinkSync(path.join(project, 'bin'), path.join(root, 'outside', 'link'))
  symlinkSync(path.join(root, 'outside'), path.join(project, 'out'))
  const entries = [
    path.join(project, 'node_modules', '.bin'),
    'bin',
    '',
    '.',
    path.join(root, 'outside', 'link'),
    path.join(project, 'out'),
    path.join(root, 'outside'),
    '/usr/bin',
  ]
  const env = { HOME: path.join(root, 'user'), PATH: entries.join(path.delimiter) }
  const dropped = dropProjectPath(env, [project])
  expect(env.PATH.split(path.delimiter)).toEqual([path.join(root, 'outside'), '/usr/bin'])
  expect(dropped).toEqual(entries.slice(0, 6).filter((entry) => entry !== ''))
  // A second call for another folder still knows the original PATH.
  expect(dropProjectPath(env, [path.join(root, 'outside')])).toContain(path.join(root, 'outside'))
  restorePath(env)
  expect(env.PATH).toBe(entries.join(path.delimiter))
})

it('keeps the user’s programs if the command starts in the user’s home folder', () => {
  const env = { HOME: path.join(root, 'user'), PATH: path.join(root, 'user', 'bin') }
  expect(dropProjectPath(env, [path.join(root, 'user'), root])).toEqual([])
  expect(env.PATH).toBe(path.join(root, 'user', 'bin'))
})
