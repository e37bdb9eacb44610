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
import { createPathResolver } from '@cadre/gate'
import { createTools } from '@cadre/tools'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { share } from '../support/amount.ts'
import { createPathFixture, expandNames, own, type PathFixture } from './path-fixture.ts'
import { pathTricks } from './path-tricks.ts'
import { stateOf } from './sandbox-support.ts'

describe('every spelling of a path has its answer', () => {
  let fixture: PathFixture
  beforeAll(() => {
    fixture = createPathFixture()
  })
  afterAll(() => rmSync(fixture.out, { recursive: true, force: true }))

  it('at least 110 of them, without duplicates', () => {
    expect(pathTricks.length).toBeGreaterThanOrEqual(110)
    expect(new Set(pathTricks.map(([given]) => given)).size).toBe(pathTricks.length)
  })

  it.each(pathTricks)('%j: reading is %s, writing is %s', (given, read, write) => {
    const request = { path: expandNames(given, fixture), workspace: fixture.ws, own }
    const reading = fixture.places.judge({ ...request, write: false })
    const writing = fixture.places.judge({ ...request, write: true })
    expect([reading.kind, writing.kind]).toEqual([read, write])
    if (writing.kind !== 'inside') expect(writing.reason).toMatch(/^.+[.]$/s)
    if (reading.kind === 'inside') expect(reading.real.startsWith(fixture.ws)).toBe(true)
  })
})

describe('the tools respect it', () => {
  let fixture: PathFixture
  beforeEach(() => {
    fixture = createPathFixture()
  })
  afterEach(() => rmSync(fixture.out, { recursive: true, force: true }))

  const writing: readonly (readonly [name: string, input: object])[] = [
    ['write_file', { content: 'evil' }],
    ['edit_file', { old: 'x', new: 'evil' }],
    ['create_directory', {}],
    ['edit_file', { old: '', new: 'evil' }],
  ]

  it('every tool that writes is tested', () => {
    const missing = createTools().flatMap(({ name, effect }) =>
      effect !== 'write' || writing.some(([tested]) => tested === name) ? [] : [name],
    )
    expect(missing, 'add the tool to `writing` here, with its arguments other than the path').toEqual([])
  })

  it.each(
    share(
      pathTricks.filter(([, , write]) => write !== 'inside'),
      5,
    ),
  )('no tool writes %j', async (given, read) => {
    const tools = createTools({ places: fixture.places, own: () => own })
    const call = (name: string, input: object) =>
      tools
        .find((tool) => tool.name === name)
        ?.run(
          { path: expandNames(given, fixture), ...input },
          { session: 's', agent: 'a', call: 'c', key: `s/${name}`, workspace: fixture.ws },
          new AbortController().signal,
        )
    const before = stateOf(fixture.out, ['.'])
    for (const [name, input] of writing) expect(await call(name, input), name).toMatchObject({ failed: true })
    expect(stateOf(fixture.out, ['.'])).toEqual(before)
    const reading = await call('read_file', {})
    if (read !== 'inside') expect(reading).toMatchObject({ failed: true })
    expect(reading?.content).not.toContain('the secret')
  })

  it('only its owner can write an artifact', async () => {
    const write = (options: object) =>
      createTools({ places: fixture.places, ...options })
        .find((tool) => tool.name === 'write_file')
        ?.run(
          { path: own, content: 'mine' },
          { session: 's', agent: 'a', call: 'c', key: 'k', workspace: fixture.ws },
          new AbortController().signal,
        )
    expect(await write({})).toMatchObject({ failed: true })
    expect(await write({ own: () => '.github/hooks/artifacts/other.md' })).toMatchObject({ failed: true })
    expect(await write({ own: () => own })).not.toHaveProperty('failed')
    expect(readFileSync(path.join(fixture.ws, own), 'utf8')).toBe('mine')
  })

  it('an artifact that was replaced by a link, or a hard link to a hook, cannot be written', () => {
    const judge = () => fixture.places.judge({ path: own, workspace: fixture.ws, write: true, own }).kind
    rmSync(path.join(fixture.ws, own))
    symlinkSync('../pre.json', path.join(fixture.ws, own))
    expect(judge()).toBe('protected')
    rmSync(path.join(fixture.ws, own))
    linkSync(path.join(fixture.ws, '.github/hooks/pre.json'), path.join(fixture.ws, own))
    expect(judge()).toBe('protected')
  })
})

describe('places', () => {
  let fixture: PathFixture
  beforeEach(() => {
    fixture = createPathFixture()
  })
  afterEach(() => rmSync(fixture.out, { recursive: true, force: true }))

  it('resolve paths as the system does: .. after a link is the parent of its target', () => {
    const at = (given: string) => fixture.places.locate(expandNames(given, fixture), fixture.ws)
    expect(at('deep/up-two/x')).toBe(path.join(fixture.out, 'x'))
    expect(at('folder-out/../secret.txt')).toBe(path.join(fixture.out, 'secret.txt'))
    expect(at('src/link-inside')).toBe(path.join(fixture.ws, 'src', 'a.txt'))
    expect(at('dangling-out')).toBe(path.join(fixture.out, 'elsewhere', 'new.txt'))
    expect(at('/nowhere/../etc')).toBe('/etc')
    expect(at('loop-a')).toBeUndefined()
    expect(at('/proc/self/cwd')).toBeUndefined()
    expect(at('a\0b')).toBeUndefined()
  })

  it('protect a repository that is stored elsewhere in the workspace', () => {
    rmSync(path.join(fixture.ws, '.git'), { recursive: true })
    mkdirSync(path.join(fixture.ws, 'store/worktrees/one'), { recursive: true })
    writeFileSync(path.join(fixture.ws, 'store/worktrees/one/commondir'), '../..\n')
    writeFileSync(path.join(fixture.ws, '.git'), 'gitdir: store/worktrees/one\n')
    const judge = (given: string) =>
      fixture.places.judge({ path: given, workspace: fixture.ws, write: true }).kind
    expect([
      judge('.git'),
      judge('store/config'),
      judge('store/worktrees/one/HEAD'),
      judge('storex/config'),
    ]).toEqual(['protected', 'protected', 'protected', 'inside'])
  })

  it('protect nothing more in a workspace that is in the home', () => {
    const workspace = path.join(fixture.ws, 'my-home', 'workspaces', 'one')
    const judge = (given: string) => fixture.places.judge({ path: given, workspace, write: true }).kind
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
          fixture.places.judge({ path: given, workspace, write: true }),
          fixture.places.locate(given, workspace),
          workspace.includes('\0') || fixture.places.protectedIn(workspace),
        ]).not.toThrow()
  })

  it('list the protected paths of a workspace, existing or not', () => {
    const all = fixture.places.protectedIn(fixture.ws)
    for (const name of ['.git', '.claude', '.github/hooks', '.opencode', '.mcp.json', 'my-home'])
      expect(all).toContain(path.join(fixture.ws, name))
    expect(all).toContain('/etc/cadre')
    expect(all).toContain(path.join(fixture.user, '.copilot'))
  })
})

it("the user's settings are protected in any location", () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-settings-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const places = createPathResolver({ userSettings: path.join(folder, 'xdg', 'cadre') })
  const judge = (file: string) => places.judge({ path: file, workspace: folder, write: true }).kind
  expect(['xdg/cadre/trust.yaml', 'xdg/cadre', 'xdg/other/trust.yaml'].map(judge)).toEqual([
    'protected',
    'protected',
    'inside',
  ])
})
