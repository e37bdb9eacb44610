import { existsSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createDeniedPaths, createPathResolver } from '@cadre/gate'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bubblewrap, createWorld, type World, without } from './sandbox-support.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world[Symbol.dispose]())

/** A policy that hides files with these patterns. */
const keeping = (...patterns: string[]) => {
  const places = createPathResolver({ project: world.project })
  const paths = { deny: { read: patterns, write: [] }, ask: { read: ['src/a.txt'], write: [] } }
  const denied = createDeniedPaths({ policy: { paths, decidedBy: new Map() }, places, userHome: world.user })
  return { unreadableIn: (workspace: string) => denied.unreadableIn(workspace) }
}

// A program assembles the name, so that no word of the line is the path.
const read = (...parts: string[]) => `cat "$(printf %s ${parts.map((part) => `'${part}'`).join(' ')})"`

describe.skipIf(bubblewrap.kind === 'none')('in the sandbox a command', () => {
  beforeEach(() => {
    world.write('.env', 'the key')
    world.write('packages/one/.env', 'the key')
    world.write('secrets/deep/id', 'the key')
    world.write('docs/plain.md', 'plain')
  })

  it.each([
    ['a name anywhere', '.env', ['.', 'env']],
    ['a name deeper', '.env', ['packages/one/.', 'env']],
    ['a name in another case', '.ENV', ['packages/one/.', 'env']],
    ['a folder', 'secrets', ['sec', 'rets/deep/id']],
    ['the contents of a folder', 'secrets/**', ['sec', 'rets/deep/id']],
    ['one file', 'secrets/deep/id', ['sec', 'rets/deep/id']],
    ['by wildcards', 's*/**/i?', ['sec', 'rets/deep/id']],
  ])('does not read what the policy hides: %s', async (_, pattern, parts) => {
    const line = `${read(...parts)}; grep -rl 'the k''ey' . ; cat docs/plain.md src/a.txt`
    const open = await world.run(line)
    expect(open.output).toContain('the key')
    const end = await world.run(read(...parts), keeping(pattern))
    expect(end.kind).toBe('exited')
    expect(end.output).not.toContain('the key')
    const search = await world.run(
      `grep -rhs 'the k''ey' .; cat docs/plain.md src/a.txt`,
      keeping(pattern, '.env', 'secrets'),
    )
    expect(search.output).toBe('plaina\n')
  })

  it('does not read it through a link, nor the target of a link with that name', async () => {
    symlinkSync('secrets/deep/id', world.at('notes'))
    symlinkSync('docs/plain.md', world.at('token'))
    const end = await world.run('cat notes token', keeping('secrets', 'token'))
    expect(end.output).not.toMatch(/the key|plain(?!\.)/)
  })

  it('does not read it by another of its names', async () => {
    linkSync(world.at('secrets/deep/id'), world.at('docs/one'))
    linkSync(world.at('.env'), world.at('two'))
    expect((await world.run('cat docs/one')).output).toBe('the key')
    const end = await world.run('cat docs/one; cat two; cat docs/plain.md', keeping('secrets', '.env'))
    expect(end.output).not.toContain('the key')
    expect(end.output).toMatch(/plain$/)
  })

  it('does not read it later, from where it was moved to', async () => {
    const { unreadableIn } = keeping('secrets/deep/id')
    await world.run('mv secrets other; mv secrets/deep secrets/other; mv secrets/deep/id id', {
      unreadableIn,
    })
    expect(world.read('secrets/deep/id')).toBe('the key')
    world.write('lib/one/.env', 'the key')
    // A file that is hidden by its name alone may be moved with its folder.
    const end = await world.run('mv lib moved && ls -A moved/one', keeping('.env'))
    expect(end).toMatchObject({ code: 0, output: '.env\n' })
    expect(world.read('moved/one/.env')).toBe('the key')
  })

  it('writes everything else, and hidden files stay unchanged', async () => {
    const end = await world.run(
      'echo x > new; echo y > .env; echo z > secrets/new',
      keeping('.env', 'secrets'),
    )
    expect(end.kind).toBe('exited')
    expect(world.read('new')).toBe('x\n')
    expect(world.read('.env')).toBe('the key')
    expect(existsSync(world.at('secrets/new'))).toBe(false)
  })

  it('reads what only needed approval', async () => {
    expect((await world.run('cat src/a.txt', keeping('.env'))).output).toBe('a\n')
  })

  it('on a copy does not read it either', async () => {
    const end = await world.run('cat .env secrets/deep/id; cat docs/plain.md', {
      ...keeping('.env', 'secrets'),
      copy: true,
    })
    expect(end.output).not.toContain('the key')
    expect(end.output).toMatch(/plain$/)
  })

  it('does not read a hidden file elsewhere on the disk', async () => {
    expect((await world.run('cat /etc/hostname /etc/passwd')).output).toContain('root:')
    const end = await world.run(read('/etc/pass', 'wd'), keeping('/etc/pass*d'))
    expect(end.output).not.toContain('root:')
  })

  it('does not run if there are too many files to search, and explains what to do', async () => {
    for (let i = 0; i < 1_002; i++) {
      mkdirSync(world.at('many', String(i)), { recursive: true })
      writeFileSync(world.at('many', String(i), '.env'), 'x')
    }
    const end = await world.run('touch begun', keeping('.env'))
    expect(end).toMatchObject({ kind: 'not_started', output: expect.stringContaining('paths.deny.read') })
    expect(existsSync(world.at('begun'))).toBe(false)
  })
})

it('without a sandbox, a copy omits unreadable files', async () => {
  world.write('.env', 'the key')
  world.write('docs/plain.md', 'plain')
  const end = await world.run('cat .env; cat docs/plain.md', {
    ...keeping('.env'),
    copy: true,
    sandbox: without,
  })
  expect(end.output).not.toContain('the key')
  expect(end.output).toMatch(/plain$/)
  expect(world.read('.env')).toBe('the key')
})
