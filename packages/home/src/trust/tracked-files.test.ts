import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { trackedFiles } from './tracked-files.ts'

let folder: string
let home: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-tracked-')))
  home = join(folder, '.cadre')
  return () => rmSync(folder, { recursive: true, force: true })
})

const git = (cwd: string, ...args: string[]) =>
  execFileSync(
    'git',
    ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always', ...args],
    { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  )
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}
const track = (...files: string[]) => git(folder, 'add', '-f', '--', ...files)
const digest = async () => {
  const tracked = await trackedFiles(home)
  return tracked.kind === 'some' ? tracked.sha256 : tracked.kind
}

it('is empty outside a repository, and in one that tracks no files in the home', async () => {
  write('.cadre/config.yaml', 'a')
  expect(await trackedFiles(home)).toEqual({ kind: 'none' })
  git(folder, 'init', '-q')
  write('a.txt', 'a')
  track('a.txt')
  expect(await trackedFiles(home)).toEqual({ kind: 'none' })
  // A folder that git does not recognise as a repository tracks nothing.
  rmSync(join(folder, '.git'), { recursive: true })
  mkdirSync(join(folder, '.git'))
  expect(await trackedFiles(home)).toEqual({ kind: 'none' })
})

it('lists the files, and is bound to their names and content', async () => {
  git(folder, 'init', '-q')
  write('.cadre/config.yaml', 'a')
  write('.cadre/own.yaml', 'mine')
  write('.cadre-other/x', 'x')
  track('.cadre/config.yaml', '.cadre-other')
  expect(await trackedFiles(home)).toMatchObject({ kind: 'some', files: ['config.yaml'] })
  const first = await digest()
  write('.cadre/own.yaml', 'edited')
  expect(await digest()).toBe(first)
  write('.cadre/config.yaml', 'b')
  const second = await digest()
  expect(second).not.toBe(first)
  write('.cadre/tasks/a.task.md', '')
  track('.cadre/tasks/a.task.md')
  expect(await digest()).not.toBe(second)
})

it('sees through a repository inside the home', async () => {
  git(folder, 'init', '-q')
  write('.cadre/config.yaml', 'a')
  track('.cadre/config.yaml')
  git(home, 'init', '-q')
  mkdirSync(join(home, 'templates'))
  git(join(home, 'templates'), 'init', '-q')
  expect(await trackedFiles(home)).toMatchObject({ kind: 'some', files: ['config.yaml'] })
})

it('counts every file of a submodule in the home', async () => {
  git(folder, 'init', '-q')
  const other = join(folder, 'other')
  mkdirSync(other)
  git(other, 'init', '-q')
  writeFileSync(join(other, 'evil.agent.yaml'), 'a')
  git(other, 'add', '-A')
  git(other, 'commit', '-q', '-m', 'x')
  git(folder, 'submodule', '--quiet', 'add', '-f', './other', '.cadre/templates')
  expect(await trackedFiles(home)).toMatchObject({ kind: 'some', files: ['templates'] })
  const first = await digest()
  writeFileSync(join(home, 'templates', 'evil.agent.yaml'), 'b')
  expect(await digest()).not.toBe(first)
})

it('follows tracked links, and finds a home that is a tracked link', async () => {
  git(folder, 'init', '-q')
  write('outside.yaml', 'a')
  mkdirSync(home)
  symlinkSync('../outside.yaml', join(home, 'config.yaml'))
  track('.cadre/config.yaml')
  const first = await digest()
  write('outside.yaml', 'b')
  expect(await digest()).not.toBe(first)
  const other = join(folder, 'sub')
  mkdirSync(other)
  symlinkSync('../.cadre', join(other, '.cadre'))
  track('sub/.cadre')
  expect(await trackedFiles(join(other, '.cadre'))).toMatchObject({
    kind: 'some',
    files: ['', 'config.yaml'],
  })
})

it('asks every enclosing repository, and runs no code from them', async () => {
  git(folder, 'init', '-q')
  write('inner/.cadre/config.yaml', 'a')
  track('inner/.cadre/config.yaml')
  git(join(folder, 'inner'), 'init', '-q')
  const mark = join(folder, 'ran')
  for (const top of [folder, join(folder, 'inner')]) {
    git(top, 'config', 'core.fsmonitor', `touch ${mark}; false`)
    git(top, 'config', 'alias.ls-files', `!touch ${mark}`)
  }
  home = join(folder, 'inner', '.cadre')
  expect(await trackedFiles(home)).toMatchObject({ kind: 'some', files: ['config.yaml'] })
  expect(existsSync(mark)).toBe(false)
})

it('is unknown if git fails', async () => {
  git(folder, 'init', '-q')
  write('.cadre/config.yaml', 'a')
  track('.cadre/config.yaml')
  write('.git/index', 'broken')
  expect(await trackedFiles(home)).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('git') })
})
