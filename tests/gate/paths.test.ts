import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createPlaces } from '@cadre/gate'
import { createTools } from '@cadre/tools'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { share } from '../support/amount.ts'
import { createGround, type Ground, own, spelt } from './path-ground.ts'
import { pathTricks } from './path-tricks.ts'
import { stateOf } from './sandbox-support.ts'

describe('every spelling of a path has its answer', () => {
  let ground: Ground
  beforeAll(() => {
    ground = createGround()
  })
  afterAll(() => rmSync(ground.out, { recursive: true, force: true }))

  it('at least 110 of them, without duplicates', () => {
    expect(pathTricks.length).toBeGreaterThanOrEqual(110)
    expect(new Set(pathTricks.map(([given]) => given)).size).toBe(pathTricks.length)
  })

  it.each(pathTricks)('%j: reading is %s, writing is %s', (given, read, write) => {
    const request = { path: spelt(given, ground), workspace: ground.ws, own }
    const reading = ground.places.judge({ ...request, write: false })
    const writing = ground.places.judge({ ...request, write: true })
    expect([reading.kind, writing.kind]).toEqual([read, write])
    if (writing.kind !== 'inside') expect(writing.reason).toMatch(/^.+[.]$/s)
    if (reading.kind === 'inside') expect(reading.real.startsWith(ground.ws)).toBe(true)
  })
})

describe('the tools respect it', () => {
  let ground: Ground
  beforeEach(() => {
    ground = createGround()
  })
  afterEach(() => rmSync(ground.out, { recursive: true, force: true }))

  it.each(
    share(
      pathTricks.filter(([, , write]) => write !== 'inside'),
      2,
    ),
  )('no tool writes %j', async (given, read) => {
    const tools = createTools({ places: ground.places, own: () => own })
    const call = (name: string, input: object) =>
      tools
        .find((tool) => tool.name === name)
        ?.run(
          { path: spelt(given, ground), ...input },
          { session: 's', agent: 'a', call: 'c', key: `s/${name}`, workspace: ground.ws },
          new AbortController().signal,
        )
    const before = stateOf(ground.out, ['.'])
    for (const [name, input] of [
      ['write_file', { content: 'evil' }],
      ['edit_file', { old: 'x', new: 'evil' }],
      ['create_directory', {}],
      ['edit_file', { old: '', new: 'evil' }],
    ] as const)
      expect(await call(name, input), name).toMatchObject({ failed: true })
    expect(stateOf(ground.out, ['.'])).toEqual(before)
    const reading = await call('read_file', {})
    if (read !== 'inside') expect(reading).toMatchObject({ failed: true })
    expect(reading?.content).not.toContain('the secret')
  })

  it('only its owner can write an artifact', async () => {
    const write = (options: object) =>
      createTools({ places: ground.places, ...options })
        .find((tool) => tool.name === 'write_file')
        ?.run(
          { path: own, content: 'mine' },
          { session: 's', agent: 'a', call: 'c', key: 'k', workspace: ground.ws },
          new AbortController().signal,
        )
    expect(await write({})).toMatchObject({ failed: true })
    expect(await write({ own: () => '.github/hooks/artifacts/other.md' })).toMatchObject({ failed: true })
    expect(await write({ own: () => own })).not.toHaveProperty('failed')
    expect(readFileSync(path.join(ground.ws, own), 'utf8')).toBe('mine')
  })

  it('an artifact that was replaced by a link, or a hard link to a hook, cannot be written', () => {
    const judge = () => ground.places.judge({ path: own, workspace: ground.ws, write: true, own }).kind
    rmSync(path.join(ground.ws, own))
    symlinkSync('../pre.json', path.join(ground.ws, own))
    expect(judge()).toBe('protected')
    rmSync(path.join(ground.ws, own))
    linkSync(path.join(ground.ws, '.github/hooks/pre.json'), path.join(ground.ws, own))
    expect(judge()).toBe('protected')
  })
})

describe('places', () => {
  let ground: Ground
  beforeEach(() => {
    ground = createGround()
  })
  afterEach(() => rmSync(ground.out, { recursive: true, force: true }))

  it('resolve paths as the system does: .. after a link is the parent of its target', () => {
    const at = (given: string) => ground.places.locate(spelt(given, ground), ground.ws)
    expect(at('deep/up-two/x')).toBe(path.join(ground.out, 'x'))
    expect(at('folder-out/../secret.txt')).toBe(path.join(ground.out, 'secret.txt'))
    expect(at('src/link-inside')).toBe(path.join(ground.ws, 'src', 'a.txt'))
    expect(at('dangling-out')).toBe(path.join(ground.out, 'elsewhere', 'new.txt'))
    expect(at('/nowhere/../etc')).toBe('/etc')
    expect(at('loop-a')).toBeUndefined()
    expect(at('/proc/self/cwd')).toBeUndefined()
    expect(at('a\0b')).toBeUndefined()
  })

  it('protect a repository that is stored elsewhere in the workspace', () => {
    rmSync(path.join(ground.ws, '.git'), { recursive: true })
    mkdirSync(path.join(ground.ws, 'store/worktrees/one'), { recursive: true })
    writeFileSync(path.join(ground.ws, 'store/worktrees/one/commondir'), '../..\n')
    writeFileSync(path.join(ground.ws, '.git'), 'gitdir: store/worktrees/one\n')
    const judge = (given: string) =>
      ground.places.judge({ path: given, workspace: ground.ws, write: true }).kind
    expect([
      judge('.git'),
      judge('store/config'),
      judge('store/worktrees/one/HEAD'),
      judge('storex/config'),
    ]).toEqual(['protected', 'protected', 'protected', 'inside'])
  })

  it('protect nothing more in a workspace that is in the home', () => {
    const workspace = path.join(ground.ws, 'my-home', 'workspaces', 'one')
    const judge = (given: string) => ground.places.judge({ path: given, workspace, write: true }).kind
    expect([judge('a.txt'), judge('.git/config'), judge('../../config.yaml'), judge('../two/a')]).toEqual([
      'inside',
      'protected',
      'outside',
      'outside',
    ])
  })

  it('never throw, for any input', () => {
    for (const workspace of ['', 'relative', '/nowhere', '/etc/passwd', '/proc/self/cwd', 'a\0b'])
      for (const given of ['a', '', '\0', '../..', '/', '\ud800'])
        expect(() => [
          ground.places.judge({ path: given, workspace, write: true }),
          ground.places.locate(given, workspace),
          workspace.includes('\0') || ground.places.protectedIn(workspace),
        ]).not.toThrow()
  })

  it('list the protected paths of a workspace, existing or not', () => {
    const all = ground.places.protectedIn(ground.ws)
    for (const name of ['.git', '.claude', '.github/hooks', '.opencode', '.mcp.json', 'my-home'])
      expect(all).toContain(path.join(ground.ws, name))
    expect(all).toContain('/etc/cadre')
    expect(all).toContain(path.join(ground.user, '.copilot'))
  })
})

it("the user's settings are protected in any location", () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-settings-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const places = createPlaces({ userSettings: path.join(folder, 'xdg', 'cadre') })
  const judge = (file: string) => places.judge({ path: file, workspace: folder, write: true }).kind
  expect(['xdg/cadre/trust.yaml', 'xdg/cadre', 'xdg/other/trust.yaml'].map(judge)).toEqual([
    'protected',
    'protected',
    'inside',
  ])
})
