import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openHome } from './open-home.ts'

let folder: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-home-')))
  return () => rmSync(folder, { recursive: true, force: true })
})

const git = (cwd: string, ...args: string[]) =>
  execFileSync(
    'git',
    ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always', ...args],
    { cwd, encoding: 'utf8' },
  )
const made = (...names: string[]) => {
  const path = join(folder, ...names)
  mkdirSync(path, { recursive: true })
  return path
}

describe('the home', () => {
  it('is the requested folder, else the one in the environment', () => {
    const env = { CADRE_HOME: 'from-env' }
    made('.cadre')
    expect(openHome({ home: 'mine', cwd: folder, env }).path).toBe(join(folder, 'mine'))
    expect(openHome({ cwd: folder, env }).path).toBe(join(folder, 'from-env'))
    expect(openHome({ cwd: folder, env: { CADRE_HOME: '' } }).path).toBe(join(folder, '.cadre'))
  })

  it('is otherwise the nearest one in a parent folder', () => {
    made('.cadre')
    made('a', 'b', '.cadre')
    const deep = made('a', 'b', 'c', 'd')
    expect(openHome({ cwd: deep, env: {} }).path).toBe(join(folder, 'a', 'b', '.cadre'))
    expect(openHome({ cwd: made('a'), env: {} }).path).toBe(join(folder, '.cadre'))
    // A file with that name is not a home.
    writeFileSync(join(deep, '.cadre'), '')
    expect(openHome({ cwd: deep, env: {} }).path).toBe(join(folder, 'a', 'b', '.cadre'))
  })

  it('is never one above the git root', () => {
    made('.cadre')
    const deep = made('repo', 'src', 'deep')
    git(join(folder, 'repo'), 'init', '-q')
    expect(openHome({ cwd: deep, env: {} }).path).toBe(join(folder, 'repo', '.cadre'))
    made('repo', 'src', '.cadre')
    expect(openHome({ cwd: deep, env: {} }).path).toBe(join(folder, 'repo', 'src', '.cadre'))
  })

  it("is never the user's own for a folder below it", () => {
    const env = { HOME: folder }
    made('.cadre')
    const notes = made('notes', 'today')
    expect(openHome({ cwd: notes, env }).path).toBe(join(notes, '.cadre'))
    made('notes', '.cadre')
    expect(openHome({ cwd: notes, env }).path).toBe(join(folder, 'notes', '.cadre'))
    expect(openHome({ cwd: folder, env }).path).toBe(join(folder, '.cadre'))
  })

  it('is never the user’s own for a folder below it, even if HOME is a link', () => {
    const real = made('real')
    made('real', '.cadre')
    const notes = made('real', 'notes')
    const link = join(folder, 'link')
    symlinkSync(real, link)
    expect(openHome({ cwd: notes, env: { HOME: link } }).path).toBe(join(notes, '.cadre'))
    expect(openHome({ cwd: real, env: { HOME: link } }).path).toBe(join(real, '.cadre'))
    const through = join(link, 'notes')
    expect(openHome({ cwd: through, env: { HOME: real } }).path).toBe(join(through, '.cadre'))
  })

  it('is the enclosing home, for a folder in a home', () => {
    const workspace = made('repo', '.cadre', 'workspaces', 'lead-1')
    git(workspace, 'init', '-q')
    expect(openHome({ cwd: workspace, env: {} }).path).toBe(join(folder, 'repo', '.cadre'))
  })

  it('is otherwise at the git root, or in the current folder', () => {
    const deep = made('repo', 'src')
    expect(openHome({ cwd: deep, env: {} }).path).toBe(join(deep, '.cadre'))
    git(join(folder, 'repo'), 'init', '-q')
    expect(openHome({ cwd: deep, env: {} }).path).toBe(join(folder, 'repo', '.cadre'))
  })

  it('is not a file', () => {
    const home = join(folder, 'notes.txt')
    expect(openHome({ cwd: folder, home, env: {} }).path).toBe(home)
    writeFileSync(home, '')
    expect(() => openHome({ cwd: folder, home, env: {} })).toThrow(`${home}: this is not a folder.`)
  })

  it('is not created before something is written to it', () => {
    const home = openHome({ cwd: folder, env: {} })
    expect(home.at('sessions', 'a')).toBe(join(folder, '.cadre', 'sessions', 'a'))
    expect(existsSync(home.path)).toBe(false)
    expect(home.folder('storage', 'wal')).toBe(join(folder, '.cadre', 'storage', 'wal'))
    expect(existsSync(home.at('storage', 'wal'))).toBe(true)
  })
})

describe('git does not see the home', () => {
  const status = (cwd: string) => git(cwd, 'status', '--porcelain', '--untracked-files=all')
  const begin = (cwd: string) => writeFileSync(`${openHome({ cwd, env: {} }).folder('sessions')}/a`, '')

  it('in a repository', () => {
    const repo = made('repo')
    git(repo, 'init', '-q')
    writeFileSync(join(repo, '.git', 'info', 'exclude'), '*.log')
    begin(repo)
    expect(status(repo)).toBe('')
    expect(readFileSync(join(repo, '.git', 'info', 'exclude'), 'utf8')).toBe('*.log\n/.cadre/\n')
    rmSync(join(repo, '.cadre'), { recursive: true })
    begin(repo)
    expect(readFileSync(join(repo, '.git', 'info', 'exclude'), 'utf8')).toBe('*.log\n/.cadre/\n')
  })

  // Root may write everything.
  it.skipIf(process.getuid?.() === 0)('is hidden from git even if it must not change .git (EACCES)', () => {
    const repo = made('locked')
    git(repo, 'init', '-q')
    chmodSync(join(repo, '.git', 'info'), 0o500)
    chmodSync(join(repo, '.git', 'info', 'exclude'), 0o400)
    openHome({ cwd: repo, env: {} }).folder('sessions')
    expect(git(repo, 'status', '--porcelain')).toBe('')
    chmodSync(join(repo, '.git', 'info'), 0o700)
  })

  it('in a folder with a difficult name, when it was put there by hand', () => {
    const repo = made('repo')
    git(repo, 'init', '-q')
    const odd = made('repo', 'a [b]! #c')
    writeFileSync(`${openHome({ home: '.cadre', cwd: odd, env: {} }).folder('sessions')}/a`, '')
    expect(status(repo)).toBe('')
  })

  it('in a worktree and in a submodule', () => {
    const repo = made('repo')
    git(repo, 'init', '-q')
    git(repo, 'commit', '-q', '--allow-empty', '-m', 'first')
    git(repo, 'worktree', 'add', '-q', join(folder, 'tree'))
    begin(join(folder, 'tree'))
    expect(status(join(folder, 'tree'))).toBe('')
    const outer = made('outer')
    git(outer, 'init', '-q')
    git(outer, 'submodule', '--quiet', 'add', repo, 'inner')
    git(outer, 'commit', '-q', '-m', 'first')
    begin(join(outer, 'inner'))
    expect(status(join(outer, 'inner'))).toBe('')
    expect(status(outer)).toBe('')
  })

  it('except a home with another name', () => {
    const repo = made('repo')
    git(repo, 'init', '-q')
    writeFileSync(`${openHome({ home: 'team', cwd: repo, env: {} }).folder('sessions')}/a`, '')
    expect(status(repo)).toContain('team/sessions/a')
  })
})
