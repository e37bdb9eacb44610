import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bubblewrap, createWorld, git, type World, without } from './sandbox-support.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world[Symbol.dispose]())

const both = [bubblewrap, without].filter((sandbox, at) => at === 1 || sandbox.kind === 'bubblewrap')
const isRepository = (folder: string) => {
  try {
    const env = { PATH: process.env['PATH'], GIT_CEILING_DIRECTORIES: world.project }
    execFileSync('git', ['rev-parse', '--git-dir'], { cwd: world.at(folder), env, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.each(both)('a repository without .git ($kind)', (sandbox) => {
  it.each([
    ['git init', 'a/b', 'git init -q --bare a/b'],
    ['git clone', 'copy.git', 'git clone -q --bare . copy.git'],
    ['by hand', 'src', 'cd src; echo "ref: refs/heads/x" > HEAD; mkdir objects refs; echo "[core]" > config'],
    ['with a commondir', 'src', 'cd src; echo "ref: refs/heads/x" > HEAD; echo ../.git > commondir'],
    [
      'with executable files',
      'src',
      'cd src; echo "ref: refs/heads/x" > HEAD; touch objects refs; chmod +x objects refs',
    ],
    ['far below', '1/2/3/4/5/6/7/8/9', 'mkdir -p 1/2/3/4/5/6/7/8; git init -q --bare 1/2/3/4/5/6/7/8/9'],
  ])('created by a command does not stay: %s', async (_, folder, command) => {
    const end = await world.run(command, { sandbox })
    expect(isRepository(folder)).toBe(false)
    expect(end.changes.map(({ path }) => path)).toContain(world.at(folder, 'HEAD'))
    expect(end.changes.every(({ undone }) => undone)).toBe(true)
  })

  it('made of existing files: those stay', async () => {
    world.write('src/HEAD', 'mine\n')
    world.write('src/refs/a', 'mine\n')
    const end = await world.run('mkdir src/objects', { sandbox })
    expect(end.changes.map(({ path }) => path)).toEqual([world.at('src/objects')])
    expect([world.read('src/HEAD'), world.read('src/refs/a')]).toEqual(['mine\n', 'mine\n'])
  })

  it('that existed stays, accepts pushes, and keeps its settings and hooks', async () => {
    git(world.project, 'clone', '-q', '--bare', '.', 'store.git')
    const config = readFileSync(world.at('store.git/config'), 'utf8')
    const end = await world.run(
      'git push -q store.git HEAD:refs/heads/other; git -C store.git config core.fsmonitor evil; echo evil > store.git/hooks/post-receive',
      { sandbox },
    )
    expect(end.code !== 0 || end.changes.length > 0).toBe(true)
    expect(readFileSync(world.at('store.git/config'), 'utf8')).toBe(config)
    expect(existsSync(world.at('store.git/hooks/post-receive'))).toBe(false)
    expect(git(world.at('store.git'), 'branch', '--list', 'other')).toContain('other')
  })
})
