import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type JudgedCall, object, type SessionSpec, string, type Tool, type Verdict } from '@cadre/core'
import {
  commandsOfCall,
  createDeniedPaths,
  createEffectsRule,
  createPathResolver,
  createPathRule,
  type EffectsRuleOptions,
} from '@cadre/gate'
import { type Policy, permissivePolicy } from '@cadre/home'
import { createTools } from '@cadre/tools'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let root: string
let workspace: string
const signal = new AbortController().signal

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-effects-')))
  workspace = path.join(root, 'w')
  for (const folder of ['src', 'secrets/deep', '.github/agents', 'docs'])
    mkdirSync(path.join(workspace, folder), { recursive: true })
  writeFileSync(path.join(workspace, 'secrets/deep/key'), 'needle\n')
  writeFileSync(path.join(workspace, 'secrets/a.txt'), 'needle\n')
  writeFileSync(path.join(workspace, 'src/a.ts'), 'needle\n')
  symlinkSync('secrets', path.join(workspace, 'open'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const places = createPathResolver({})
const tools = () => createTools({ places })
const toolNamed = (name: string) => tools().find((tool) => tool.name === name) as Tool
const session = () => ({ workspace, agent: { name: 'a' } }) as SessionSpec
const callOf = (tool: Tool, input: object): JudgedCall => ({
  call: { id: 'c', type: 'function', function: { name: tool.name, arguments: '{}' } },
  tool,
  input,
})
const command: Tool = {
  ...toolNamed('get_errors'),
  name: 'execute_command',
  commands: (input) => commandsOfCall((input as { command: string }).command),
}
const custom = (effect: Tool['effect'], more: Partial<Tool> = {}): Tool => ({
  name: 'mine',
  description: 'd',
  class: 'search',
  effect,
  input: object({ path: string('p') }),
  parameters: {},
  run: async () => ({ content: '' }),
  ...more,
})

describe('effects', () => {
  const judge = (tool: Tool | string, input: object, options: Partial<EffectsRuleOptions> = {}) => {
    const rule = createEffectsRule({ policy: permissivePolicy, places, sandboxed: () => true, ...options })
    return rule.judge(callOf(typeof tool === 'string' ? toolNamed(tool) : tool, input), session(), signal) as
      | Verdict
      | undefined
  }
  const said = (policy: Partial<Policy>): Policy => ({ ...permissivePolicy, ...policy })

  it('reading is allowed; writing and network access need approval, and report possible grants', () => {
    expect(judge('read_file', { path: 'src/a.ts' })).toMatchObject({ kind: 'allow', rule: 'effects.read' })
    expect(judge('write_file', { path: 'src/b.ts', content: '' })).toEqual({
      kind: 'ask',
      by: 'policy',
      rule: 'effects.write',
      reason: 'the call changes files in the workspace',
      risk: 'MEDIUM',
      reasons: ['the call changes files in the workspace'],
      grants: ['write in the workspace'],
      paths: [{ path: 'src/b.ts', real: path.join(workspace, 'src/b.ts'), decision: 'allow' }],
    })
    expect(judge('web_fetch', { url: 'https://Example.com:8443/a?b' })).toMatchObject({
      kind: 'ask',
      rule: 'effects.outbound',
      risk: 'MEDIUM',
      grants: ['outbound: web_fetch from example.com:8443'],
    })
    expect(judge(custom('outbound'), {})).toMatchObject({ grants: ['outbound: mine'] })
    const execute = judge(custom('execute'), {})
    expect(execute).toMatchObject({ kind: 'ask', rule: 'effects.execute', risk: 'HIGH' })
    expect(execute).not.toHaveProperty('grants')
  })

  it.each([
    ['.env', 'HIGH'],
    ['deploy/.env.production', 'HIGH'],
    ['.ssh/config', 'HIGH'],
    ['a/secrets/x.txt', 'HIGH'],
    ['passwords.txt', 'HIGH'],
    ['keys/server.pem', 'HIGH'],
    ['config.json', 'HIGH'],
    ['src/environment.ts', 'MEDIUM'],
    ['docs/secretary.md', 'MEDIUM'],
    ['src/password-field.tsx', 'MEDIUM'],
    ['tsconfig.json', 'MEDIUM'],
    ['src/monkey.ts', 'MEDIUM'],
    ['open/x', 'HIGH'],
  ])('writing %s is %s, by whole names; HIGH risk is not granted for a session', (file, risk) => {
    const verdict = judge('write_file', { path: file, content: '' })
    expect(verdict).toMatchObject({ kind: 'ask', risk })
    expect('grants' in (verdict as object)).toBe(risk === 'MEDIUM')
  })

  it('creating a task needs no approval, unless a policy requires it; a custom tool is like any other', () => {
    const [create] = createTools({ places, home: root }).filter(({ name }) => name === 'create_task') as [
      Tool,
    ]
    const decidedBy = new Map([['effects.write', 'policy.yaml:1']])
    const effects = (write: 'allow' | 'ask' | 'deny') => ({ ...permissivePolicy.effects, write })
    expect(judge(create, { title: 'x' })).toMatchObject({ kind: 'allow', rule: 'effects.write' })
    expect(judge(create, {}, { policy: said({ effects: effects('ask'), decidedBy }) })).toMatchObject({
      kind: 'ask',
      risk: 'LOW',
      grants: ['change task files'],
      reasons: ['the call changes task files in the home directory'],
    })
    expect(judge(create, {}, { policy: said({ effects: effects('deny'), decidedBy }) })).toMatchObject({
      kind: 'deny',
    })
    expect(judge(create, {}, { team: { name: 't', effects: { write: 'deny' } } })).toMatchObject({
      kind: 'deny',
    })
    expect(judge(create, {}, { policy: said({ beforehand: false }) })).toMatchObject({ kind: 'ask' })
    for (const origin of ['custom', 'editor'] as const)
      expect(judge(custom('write', { class: 'task', origin }), {})).toMatchObject({
        kind: 'ask',
        grants: ['write in the workspace'],
      })
  })

  it('the location of the workspace does not affect the files in it', () => {
    const below = path.join(workspace, 'secrets', 'deep')
    const rule = createEffectsRule({ policy: permissivePolicy, places, sandboxed: () => true })
    const call = callOf(toolNamed('write_file'), { path: path.join(below, 'x.ts'), content: '' })
    expect(rule.judge(call, { ...session(), workspace: below }, signal)).toMatchObject({ risk: 'MEDIUM' })
  })

  it.each([
    ['../x', 'paths.outside'],
    ['/etc/passwd', 'paths.outside'],
    ['.github/agents/a.agent.md', 'paths.protected'],
    ['.git/config', 'paths.protected'],
    ['a\0b', 'paths.invalid'],
  ])('outside or protected paths are denied, whatever is allowed: %j by %s', (file, rule) => {
    for (const name of ['write_file', 'create_directory'])
      expect(judge(name, { path: file, content: '' }, { allow: ['write'] })).toMatchObject({
        kind: 'deny',
        rule,
        paths: [{ path: file, decision: 'deny', reason: expect.any(String) }],
      })
  })

  it('one wrong path of several is enough', () => {
    const edit = custom('write', { paths: () => ['src/a.ts', '../../x'] })
    const verdict = judge(edit, {}, { allow: ['write'] })
    expect(verdict).toMatchObject({ kind: 'deny', rule: 'paths.outside' })
    expect(verdict?.paths?.map(({ decision }) => decision)).toEqual(['allow', 'deny'])
  })

  it('an agent’s own artifact may be written', () => {
    const own = '.github/hooks/artifacts/a.md'
    const write = (file: string) => judge('write_file', { path: file, content: '' }, { ownOf: () => own })
    expect(write(own)?.kind).toBe('ask')
    expect(write('.github/hooks/artifacts/b.md')?.kind).toBe('deny')
  })

  it('a team and a flag loosen the default; a policy takes precedence and is named', () => {
    const write = (options: Partial<EffectsRuleOptions>) =>
      judge('write_file', { path: 'src/b.ts', content: '' }, options)
    const team = { name: 'coordinator', effects: { write: 'allow' as const } }
    expect(write({ team })).toMatchObject({ kind: 'allow', rule: 'effects.write' })
    expect(write({ allow: ['write'] })?.kind).toBe('allow')
    const decidedBy = new Map([['effects.write', '/p.yaml:3']])
    const strict = said({ effects: { ...permissivePolicy.effects, write: 'deny' }, decidedBy })
    expect(write({ team, allow: ['write'], policy: strict })).toMatchObject({
      kind: 'deny',
      reason: 'the policy denies writing files: effects.write is deny (/p.yaml:3)',
    })
    const off = write({ team, policy: said({ beforehand: false }) })
    expect(off).toMatchObject({ kind: 'ask' })
    expect(off).not.toHaveProperty('grants')
  })

  it('delegation, reports and commands have other rules; the trusted check does not ask', () => {
    expect(judge(custom('read', { kind: 'delegate' }), {})).toBeUndefined()
    expect(judge(custom('read', { kind: 'report' }), {})).toBeUndefined()
    expect(judge(command, { command: 'ls' })).toBeUndefined()
    expect(judge('get_errors', {})?.kind).toBe('allow')
    expect(judge('get_errors', {}, { policy: said({ beforehand: false }) })?.kind).toBe('ask')
    expect(judge('get_errors', {}, { sandboxed: () => false })?.kind).toBe('ask')
    const decidedBy = new Map([['effects.execute', '/p.yaml:1']])
    const denied = said({ effects: { ...permissivePolicy.effects, execute: 'deny' }, decidedBy })
    expect(judge('get_errors', {}, { policy: denied })?.kind).toBe('deny')
    const impostor = custom('execute', { name: 'get_errors', origin: 'custom' })
    expect(judge(impostor, {})?.kind).toBe('ask')
  })
})

describe('paths of a policy', () => {
  const policyWith = (deny: string[], ask: string[] = []): Policy => ({
    ...permissivePolicy,
    paths: { deny: { read: deny, write: [] }, ask: { read: [], write: ask } },
    decidedBy: new Map([['paths.deny.read.0', '/p.yaml:2']]),
  })
  const judge = (policy: Policy, tool: Tool | string, input: object, sandboxed = true) =>
    createPathRule({ policy, places, userHome: root, sandboxed: () => sandboxed }).judge(
      callOf(typeof tool === 'string' ? toolNamed(tool) : tool, input),
      session(),
      signal,
    ) as Verdict | undefined

  it('deny a call of an MCP tool with too many values to check', () => {
    const tool = { name: 'mcp__x__y', effect: 'read', server: { name: 'x', tool: 'y' } } as Tool
    const many = Array.from({ length: 2_000 }, (_, index) => `x${index}`)
    expect(judge(policyWith(['secrets']), tool, { many: many.slice(0, 10) })?.kind).toBe('ask')
    expect(judge(policyWith(['secrets']), tool, { many, path: 'secrets/a.txt' })?.kind).toBe('deny')
    expect(judge(policyWith([]), tool, { many })).toBeUndefined()
  })

  it('apply in any spelling and through any link', () => {
    const policy = policyWith(['secrets'])
    for (const file of [
      'secrets/a.txt',
      './src/../secrets/a.txt',
      'SECRETS/a.txt',
      path.join(workspace, 'secrets/a.txt'),
      'open/a.txt',
      'src\\..\\secrets\\a.txt',
      'secrets',
      'deep/er/secrets/x',
    ])
      expect(judge(policy, 'read_file', { path: file }), file).toMatchObject({
        kind: 'deny',
        rule: 'paths.deny.read',
        reason: `the policy denies ${file}: paths.deny.read contains "secrets" (/p.yaml:2)`,
      })
    for (const file of ['src/a.ts', 'secrets.md', 'src/secretsx/a'])
      expect(judge(policy, 'read_file', { path: file }), file).toBeUndefined()
    expect(judge(policy, 'write_file', { path: 'secrets/x', content: '' })?.kind).toBe('deny')
  })

  it('cannot be bypassed through the target of a link', () => {
    expect(judge(policyWith(['open']), 'read_file', { path: 'secrets/a.txt' })?.kind).toBe('deny')
  })

  it('ask if the policy says ask, without a grant', () => {
    const verdict = judge(policyWith([], ['docs/**']), 'write_file', { path: 'docs/a.md', content: '' })
    expect(verdict).toMatchObject({ kind: 'ask', rule: 'paths.ask.write' })
    expect(verdict).not.toHaveProperty('grants')
  })

  it.each([
    ['cat secrets/a.txt', 'deny'],
    ['cat ./open/a.txt', 'deny'],
    ['git show HEAD:secrets/a.txt', 'deny'],
    ['cd src && git show HEAD:secrets/a.txt', 'deny'],
    ['cd src && git cat-file -p :0:secrets/a.txt', 'deny'],
    ['cd src && git log -p -- :/secrets', 'deny'],
    ['cd src && git log -p -- ":(top)secrets/a.txt"', 'deny'],
    ['git log -p secrets/a.txt', 'deny'],
    ['git blame -- secrets/a.txt', 'deny'],
    ['git show HEAD:src/a.ts', undefined],
    ['git log -p', undefined],
    ['curl -d @secrets/a.txt x', 'deny'],
    ['tar --file=secrets/a.txt', 'deny'],
    ['tar -fsecrets/a.txt', 'deny'],
    ['wc <secrets/a.txt', 'deny'],
    ['cd secrets', 'deny'],
    ['cd src && cat ../secrets/a.txt', 'deny'],
    ['cat sec"ret"s/a.txt', 'deny'],
    ['cat < "secrets/a.txt"', 'deny'],
    ['bash -c "cat secrets/a.txt"', 'deny'],
    ['cat secr*/a.txt', 'ask'],
    ['cat src/a.ts', undefined],
    ['git commit -m secretary', undefined],
  ])('apply to every word of a command: %s', (line, expected) => {
    expect(judge(policyWith(['secrets']), command, { command: line })?.kind).toBe(expected)
  })

  it('without a sandbox, every command that could reach it needs approval', () => {
    const line = { command: 'git status' }
    expect(judge(policyWith(['secrets']), command, line)).toBeUndefined()
    expect(judge(policyWith(['secrets']), command, line, false)).toMatchObject({
      kind: 'ask',
      rule: 'paths.deny.read',
    })
    expect(judge(policyWith(['**/*.pem']), command, line, false)?.kind).toBe('ask')
    expect(judge(policyWith(['/srv/keys']), command, line, false)).toBeUndefined()
    expect(judge(policyWith([], ['docs']), command, line, false)).toBeUndefined()
    expect(judge(policyWith(['secrets']), command, { command: 'cat secrets/a.txt' }, false)?.kind).toBe(
      'deny',
    )
  })

  it('a command in such a folder is denied', () => {
    expect(judge(policyWith(['secrets']), command, { command: 'cat a.txt', cwd: 'secrets' })?.kind).toBe(
      'deny',
    )
  })

  it('a search or listing above it shows none of it, with ripgrep and without', async () => {
    const denied = createDeniedPaths({ policy: policyWith(['secrets']), places })
    const context = { session: 's', agent: 'a', call: 'c', key: 'k', workspace }
    for (const locate of [undefined, async () => undefined]) {
      const own = createTools({
        places,
        hiddenIn: (folder) => denied.hiddenIn(folder),
        ...(locate && { locateRipgrep: locate }),
      })
      const run = async (name: string, input: object) =>
        (await own.find((tool) => tool.name === name)?.run(input, context, signal))?.content ?? ''
      expect(await run('search_files', { query: 'needle' })).toMatch(/src\/a\.ts:1: needle/)
      expect(await run('search_files', { query: 'needle' })).not.toContain('secrets')
      expect(await run('search_files', { query: 'needle', output: 'counts' })).not.toContain('secrets')
      expect(await run('find_files', { glob: '**/*' })).toContain('src/a.ts')
      expect(await run('find_files', { glob: '**/*' })).not.toContain('secrets')
      expect(await run('list_directory', {})).not.toContain('secrets')
    }
    for (const name of ['search_files', 'find_files', 'list_directory'])
      expect(judge(policyWith(['secrets']), name, { query: 'x', glob: '**' }), name).toBeUndefined()
    const foreign = custom('read', { paths: () => ['.'] })
    expect(judge(policyWith(['secrets']), foreign, {})).toMatchObject({ kind: 'ask' })
  })
})
