import fc from 'fast-check'
import type { ParseError } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { jsonParser } from './json-parser.ts'
import { readSettingsAgents } from './read-settings.ts'

const path = 'team.json'
const agent = (name: string, more: object = {}) => ({
  name,
  systemPrompt: `You are ${name}, and you do what ${name} does.`,
  description: `The ${name}`,
  useFor: `What a ${name} is for`,
  delegationPermissions: { type: 'none' },
  toolPermissions: { type: 'all' },
  ...more,
})
const read = (settings: object, where = path) =>
  readSettingsAgents({ path: where, text: JSON.stringify(settings, null, 2) })
const team = (...agents: unknown[]) => ({ version: '1.0.0', entryAgent: 'a', agents })
const said = ({ diagnostics }: ReturnType<typeof readSettingsAgents>) =>
  diagnostics.map(({ severity, message }) => `${severity}: ${message}`)

describe('agents of settings', () => {
  it('reads one agent', () => {
    const result = read(team(agent('a', { toolPermissions: { type: 'specific', tools: ['reportOut'] } })))
    expect(result).toEqual({
      entry: 'a',
      diagnostics: [],
      agents: [
        {
          line: 5,
          place: 'configuration.agents[0]',
          agent: {
            name: 'a',
            description: 'The a',
            useFor: 'What a a is for',
            prompt: 'You are a, and you do what a does.',
            tools: { kind: 'list', names: ['reportOut'] },
            delegates: { kind: 'none' },
            source: { path, dialect: 'settings', line: 5 },
          },
        },
      ],
    })
  })

  it('reads a team in order, whichever agent is the entry', () => {
    const { agents, entry, diagnostics } = read({
      version: '1.0.0',
      entryAgent: 'coordinator',
      agents: [
        agent('test-engineer', { delegationPermissions: { type: 'specific', agents: ['code-reviewer'] } }),
        agent('coordinator', { delegationPermissions: { type: 'all' } }),
        agent('code-reviewer', { toolPermissions: { type: 'none' } }),
      ],
    })
    expect(agents.map(({ agent }) => agent.name)).toEqual(['test-engineer', 'coordinator', 'code-reviewer'])
    expect(agents.map(({ agent }) => agent.delegates)).toEqual([
      { kind: 'list', names: ['code-reviewer'] },
      { kind: 'all' },
      { kind: 'none' },
    ])
    expect(agents[2]?.agent.tools).toEqual({ kind: 'list', names: [] })
    expect([entry, diagnostics]).toEqual(['coordinator', []])
  })

  it('reads seven agents that delegate in a cycle, and only reports it', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const targets = (name: string) => ({
      type: 'specific',
      agents: names.filter((other) => other !== name).slice(0, 2),
    })
    const result = read(team(...names.map((name) => agent(name, { delegationPermissions: targets(name) }))))
    expect(result.agents).toHaveLength(7)
    expect(said(result)).toEqual([
      'warning: configuration.agents[0].delegationPermissions permits a cycle: a → b → a. This is harmless: Cadre denies delegations that would complete it.',
    ])
  })

  it('finds them among the settings of an editor, with comments, trailing commas and a BOM', () => {
    const text = `\ufeff{
  // of the editor
  "editor.tabSize": 2, /* more */
  "copilotMultiAgent.entryAgent": "a",
  "copilotMultiAgent.agents": [
    ${JSON.stringify(agent('b'))},
    ${JSON.stringify(agent('a'))},
  ],
}`
    const { agents, entry, diagnostics } = readSettingsAgents({ path: '/p/.vscode/settings.json', text })
    expect(agents.map(({ agent, line }) => [agent.name, line])).toEqual([
      ['b', 6],
      ['a', 7],
    ])
    expect([entry, diagnostics]).toEqual(['a', []])
  })

  it.each([
    ['nested', { copilotMultiAgent: { entryAgent: 'a', agents: [agent('a')] } }, '/p/.vscode/settings.json'],
    [
      'nested with a version',
      { copilotMultiAgent: { version: '1.0.0', entryAgent: 'a', agents: [agent('a')] } },
      path,
    ],
    [
      'in a workspace file',
      {
        folders: [],
        settings: { 'copilotMultiAgent.entryAgent': 'a', 'copilotMultiAgent.agents': [agent('a')] },
      },
      'x.code-workspace',
    ],
  ])('finds them %s', (_, settings, where) => {
    const { agents, diagnostics } = read(settings, where)
    expect([agents.length, diagnostics]).toEqual([1, []])
  })

  it('reports a key in both forms, and uses the longer name', () => {
    const result = read({
      copilotMultiAgent: { agents: [agent('x')] },
      'copilotMultiAgent.agents': [agent('a')],
    })
    expect(result.agents.map(({ agent }) => agent.name)).toEqual(['a'])
    expect(said(result)[0]).toContain('copilotMultiAgent.agents is also defined inside copilotMultiAgent')
  })

  it.each([
    ['other settings', '{"editor.tabSize": 2, "agents": [{"name": "x"}]}'],
    ['broken settings without agents', '{"editor.tabSize": 2, '],
    ['nothing', ''],
  ])('reports nothing about %s', (_, text) => {
    expect(readSettingsAgents({ path: '/p/.vscode/settings.json', text })).toEqual({
      agents: [],
      diagnostics: [],
    })
  })

  it.each([
    [{ maxTurs: 3 }, 'key-unseen'],
    [{ disableModelInvocaton: true }, 'key-unseen'],
    [{ disallowedTools: ['execute_comand'] }, 'denial-unknown'],
    [{ permission: { edt: 'deny' } }, 'denial-unknown'],
  ])('does not use an agent with the misspelt restriction %j', (more, code) => {
    const { agents, diagnostics } = read(team(agent('a'), agent('b', more)))
    expect(agents.map(({ agent }) => agent.name)).not.toContain('b')
    expect(diagnostics).toContainEqual(expect.objectContaining({ severity: 'error', code }))
  })

  it('gives an agent with a misspelt list of denied tools no tools', () => {
    const { agents } = read(team(agent('a', { disallowdTools: ['edit'] })))
    expect(agents[0]?.agent.tools).toEqual({ kind: 'list', names: [] })
  })

  it('keeps and reports unknown keys, and reads those of other dialects', () => {
    const result = read(
      team(agent('a', { shoeSize: { a: [1, null] }, maxTurns: 4, tools: ['x'], model: ['m', 'n'] })),
    )
    expect(result.agents[0]?.agent).toMatchObject({
      unknown: { shoeSize: { a: [1, null] }, tools: ['x'] },
      limits: { maxTurns: 4 },
      models: ['m', 'n'],
      tools: { kind: 'all' },
    })
    expect(said(result)).toEqual([
      'warning: configuration.agents[0].shoeSize is an unknown key. Cadre keeps it.',
      'warning: configuration.agents[0].tools is an unknown key. Cadre keeps it.',
    ])
  })
})

describe('reports problems with their path, and grants less', () => {
  const long = (length: number) => 'x'.repeat(length)
  const left = 'error'
  it.each<[string, object, string, object | typeof left]>([
    [
      'a missing name',
      { name: undefined },
      'configuration.agents[0].name is missing. Cadre ignores the agent.',
      left,
    ],
    [
      'a name with a space',
      { name: 'a b' },
      'configuration.agents[0].name ("a b") may contain only the letters A to Z, digits, - and _. Cadre ignores the agent.',
      left,
    ],
    ['a name of 51', { name: long(51) }, 'is longer than 50 characters', left],
    ['a name that is a number', { name: 7 }, 'configuration.agents[0].name (7) is not a string', left],
    [
      'no instructions',
      { systemPrompt: '' },
      'configuration.agents[0].systemPrompt is empty. Cadre ignores the agent.',
      left,
    ],
    [
      'instructions that are not text',
      { systemPrompt: [] },
      'configuration.agents[0].systemPrompt must be text',
      left,
    ],
    [
      'instructions of 30,001',
      { systemPrompt: long(30_001) },
      'configuration.agents[0].systemPrompt has 30001 characters, but the limit is 30000. Cadre ignores the agent.',
      left,
    ],
    [
      'instructions of 9',
      { systemPrompt: long(9) },
      'configuration.agents[0].systemPrompt has only 9 characters',
      { prompt: long(9) },
    ],
    [
      'instructions of 1',
      { systemPrompt: 'x' },
      'configuration.agents[0].systemPrompt has only 1 character,',
      { prompt: 'x' },
    ],
    [
      'a description of 201',
      { description: long(201) },
      'configuration.agents[0].description has 201 characters, but editors accept at most 200.',
      { description: long(201) },
    ],
    [
      'a description of 501',
      { description: long(501) },
      'configuration.agents[0].description has 501 characters, but the limit is 500. Cadre ignores the agent.',
      left,
    ],
    [
      'a missing description',
      { description: undefined },
      'configuration.agents[0].description is missing',
      { description: '' },
    ],
    ['a use of 501', { useFor: long(501) }, 'configuration.agents[0].useFor has 501 characters', left],
    [
      'a use that is a number',
      { useFor: 1 },
      'configuration.agents[0].useFor must be text. Cadre uses the description instead.',
      {},
    ],
    [
      'null as tools',
      { toolPermissions: null },
      'configuration.agents[0].toolPermissions must be an object with type "all", "none" or "specific", not null. The agent gets no tools.',
      none(),
    ],
    [
      'tools as a list',
      { toolPermissions: ['read'] },
      'configuration.agents[0].toolPermissions must be an object',
      none(),
    ],
    [
      'another type',
      { toolPermissions: { type: 'some' } },
      'configuration.agents[0].toolPermissions.type must be "all", "none" or "specific", not "some"',
      none(),
    ],
    [
      'a type from the prototype',
      { toolPermissions: JSON.parse('{"__proto__": {"type": "all"}}') },
      'configuration.agents[0].toolPermissions must be an object',
      none(),
    ],
    [
      'specific without a list',
      { toolPermissions: { type: 'specific' } },
      'configuration.agents[0].toolPermissions.tools is missing, but "specific" needs at least one name. The agent gets no tools.',
      none(),
    ],
    [
      'an empty list',
      { toolPermissions: { type: 'specific', tools: [] } },
      'configuration.agents[0].toolPermissions.tools is empty',
      none(),
    ],
    [
      'a tool that is not text',
      { toolPermissions: { type: 'specific', tools: ['x', 7] } },
      'configuration.agents[0].toolPermissions.tools[1] (7) is not a string. Cadre ignores it.',
      { tools: { kind: 'list', names: ['x'] } },
    ],
    [
      'a tool twice',
      { toolPermissions: { type: 'specific', tools: ['x', 'x'] } },
      'configuration.agents[0].toolPermissions.tools[1] ("x") is already in the list',
      { tools: { kind: 'list', names: ['x'] } },
    ],
    [
      'a tool of 101',
      { toolPermissions: { type: 'specific', tools: [long(101)] } },
      'configuration.agents[0].toolPermissions.tools[0]',
      none(),
    ],
    [
      'every tool as a name',
      { toolPermissions: { type: 'specific', tools: ['*'] } },
      'configuration.agents[0].toolPermissions.tools[0] ("*") means every tool',
      none(),
    ],
    [
      'two tools as one name',
      { toolPermissions: { type: 'specific', tools: ['a, b'] } },
      'configuration.agents[0].toolPermissions.tools[0] ("a, b") is not a single tool name',
      none(),
    ],
    [
      'a list next to all',
      { toolPermissions: { type: 'all', tools: ['x'] } },
      'configuration.agents[0].toolPermissions.tools has an effect only if type is "specific". Cadre keeps it.',
      { tools: { kind: 'all' }, unknown: { toolPermissions: { tools: ['x'] } } },
    ],
    [
      'targets as text',
      { delegationPermissions: 'all' },
      'configuration.agents[0].delegationPermissions must be an object with type "all", "none" or "specific", not "all". The agent may not delegate.',
      { delegates: { kind: 'none' } },
    ],
    [
      'no targets',
      { delegationPermissions: { type: 'specific', agents: [] } },
      'configuration.agents[0].delegationPermissions.agents is empty',
      { delegates: { kind: 'none' } },
    ],
    [
      'an unknown target',
      { delegationPermissions: { type: 'specific', agents: ['b', 'B'] } },
      'configuration.agents[0].delegationPermissions.agents[1] names "B", but there is no such agent. Cadre ignores the name.',
      { delegates: { kind: 'list', names: ['b'] } },
    ],
    [
      'an invalid limit',
      { maxTurns: 'many' },
      'configuration.agents[0]: maxTurns must be a whole number greater than 0',
      left,
    ],
  ])('%s', (_, part, message, expected) => {
    const result = read({ ...team(agent('a', part), agent('b')), entryAgent: 'b' })
    const found = result.diagnostics.find((diagnostic) => diagnostic.message.includes(message))
    expect(said(result)).toContainEqual(expect.stringContaining(message))
    expect(found).toMatchObject({ path, severity: expected === left ? 'error' : 'warning' })
    expect(found?.line).toBeGreaterThan(4)
    expect(found?.message).toMatch(/^configuration\.agents\[0\]/)
    const [first] = result.agents
    if (expected === left) expect(first?.agent.name).toBe('b')
    else expect(first?.agent).toMatchObject({ name: 'a', ...expected })
  })

  function none() {
    return { tools: { kind: 'list', names: [] } }
  }

  it('uses the first of two agents with one name, ignoring case', () => {
    const result = read(team(agent('a'), agent('A'), agent('a', { description: 'second' })))
    expect(result.agents.map(({ agent }) => agent.name)).toEqual(['a'])
    expect(said(result)).toEqual([
      'error: configuration.agents[1].name ("A") is also the name of configuration.agents[0] ("a"): names are case-insensitive. Cadre ignores this one.',
      'error: configuration.agents[2].name ("a") is also the name of configuration.agents[0]. Cadre ignores this one.',
    ])
  })

  it('accepts twenty agents', () => {
    const result = read(
      team(...Array.from({ length: 21 }, (_, index) => agent(`a${index === 0 ? '' : index}`))),
    )
    expect(result.agents).toHaveLength(20)
    expect(said(result)).toEqual([
      'error: configuration.agents[20] exceeds the limit of 20 agents. Cadre ignores it.',
    ])
  })

  it('accepts a hundred permitted delegations', () => {
    const all = { delegationPermissions: { type: 'all' } }
    const result = read(team(...'abcdefghijk'.split('').map((name) => agent(name, all))))
    expect(result.agents.filter(({ agent }) => agent.delegates?.kind === 'all')).toHaveLength(10)
    expect(said(result)[0]).toContain(
      'configuration.agents[10].delegationPermissions raises the number of permitted delegations to 110',
    )
  })

  it.each([
    [
      'that does not exist',
      'nobody',
      'configuration.entryAgent names "nobody", but there is no such agent. Cadre uses the first agent, "a".',
    ],
    ['with another case', 'A', 'configuration.entryAgent names "A"'],
    ['that is not text', 7, 'configuration.entryAgent names 7'],
    ['that is not set', undefined, 'configuration.entryAgent was not set and is now the first agent, "a".'],
  ])('uses the first agent for an entry %s', (_, entryAgent, message) => {
    const result = read({ version: '1.0.0', entryAgent, agents: [agent('a'), agent('b')] })
    expect(result.entry).toBe('a')
    expect(said(result)).toEqual([expect.stringContaining(`warning: ${message}`)])
  })

  it('falls back to one coordinator that can only delegate and report', () => {
    const result = read(team({ name: 'a' }, 7))
    expect(result.agents).toMatchObject([
      {
        agent: {
          name: 'coordinator',
          delegates: { kind: 'all' },
          tools: { kind: 'list', names: ['delegateWork', 'reportOut'] },
        },
      },
    ])
    expect(result.entry).toBe('coordinator')
    expect(result.diagnostics.map(({ code }) => code)).toContain('settings-default')
  })

  it('reports the line of a migrated value', () => {
    const text = `{
  "coordinator": { "systemPrompt": "You coordinate.", "description": "d", "useFor": "u", "toolPermissions": true },
  "customAgents": [
    { "name": "b", "systemPrompt": "You do the rest.", "description": "d", "useFor": "u",
      "delegationPermissions": false }
  ]
}`
    const { agents, entry, diagnostics } = readSettingsAgents({ path, text })
    expect(agents.map(({ agent, line }) => [agent.name, line])).toEqual([
      ['coordinator', 2],
      ['b', 4],
    ])
    expect(entry).toBe('coordinator')
    expect(diagnostics.map(({ line, code, message }) => `${line} ${code} ${message.split(' ')[0]}`)).toEqual([
      '2 settings-migrated configuration.agents[0]',
      '2 settings-migrated configuration.agents[0].name',
      '4 settings-migrated configuration.agents[1]',
      '1 settings-migrated configuration.version',
      '2 settings-migrated configuration.agents[0].delegationPermissions',
      '2 settings-migrated configuration.agents[0].toolPermissions',
      '5 settings-migrated configuration.agents[1].delegationPermissions',
      '4 settings-migrated configuration.agents[1].toolPermissions',
      '1 settings-migrated configuration.entryAgent',
      '2 settings-team-unreachable configuration.agents[0].delegationPermissions',
    ])
    const { message, fix } = diagnostics.at(-1) ?? {}
    expect(message).toContain('cannot delegate to its team of 1')
    expect(fix).toContain('"delegationPermissions": {"type": "all"}')
  })
})

describe('hostile settings', () => {
  it('uses what was complete before the syntax error, and nothing after it', () => {
    const text = `{ "version": "1.0.0", "entryAgent": "a", "agents": [
  ${JSON.stringify(agent('a'))},
  { "name": "b", "systemPrompt": "You are b, indeed.", "description": "d", "useFor": "u",
    "delegationPermissions": { "type": "none" }, "toolPermissions": { "type": "specific", "tools": ["read" } },
  ${JSON.stringify(agent('c'))}
] }`
    const result = readSettingsAgents({ path, text })
    expect(result.agents.map(({ agent }) => agent.name)).toEqual(['a'])
    expect(result.diagnostics[0]).toMatchObject({ line: 4, severity: 'error', code: 'json-broken' })
    expect(said(result)).toContain(
      'error: configuration.agents[1] is in a part of the file that is not valid JSON. Cadre ignores it.',
    )
  })

  it('handles any depth and size', () => {
    for (const text of ['['.repeat(100_000), `{"agents":${'[{"a":'.repeat(10_000)}`, ' '.repeat(5_000_000)])
      expect(
        readSettingsAgents({ path, text: `{"copilotMultiAgent.agents": ${text}` }).agents.length,
      ).toBeLessThan(2)
  })

  it('treats names of the prototype as ordinary names', () => {
    const text = `{"__proto__": {"agents": []}, "constructor": 1, "entryAgent": "__proto__", "agents": [
      {"name": "__proto__", "systemPrompt": "You are a prototype.", "description": "d", "useFor": "u", "constructor": {"x": 1},
       "__proto__": {"toolPermissions": {"type": "all"}}, "toolPermissions": {"type": "none"}, "delegationPermissions": {"type": "none"}}]}`
    const { agents, entry } = readSettingsAgents({ path, text })
    expect(entry).toBe('__proto__')
    expect(agents[0]?.agent.tools).toEqual({ kind: 'list', names: [] })
    expect(Object.keys(agents[0]?.agent.unknown ?? {}).sort()).toEqual(['__proto__', 'constructor'])
    expect(({} as { toolPermissions?: unknown }).toolPermissions).toBeUndefined()
  })

  it('never throws, and never grants more than was written', () => {
    const whole = JSON.stringify(
      team(
        agent('a', { toolPermissions: { type: 'specific', tools: ['read'] } }),
        agent('b', { toolPermissions: { type: 'none' } }),
      ),
      null,
      1,
    )
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(40), fc.string(), (at, length, instead) => {
        const text = whole.slice(0, at) + instead + whole.slice(at + length)
        const { agents } = readSettingsAgents({ path, text })
        // Missing means every tool, but only if the file is valid and the key is really missing.
        const declared = soundAgents(text)
        for (const { agent } of agents)
          if (declared === undefined || declared.get(agent.name) !== undefined)
            expect(agent.tools.kind).toBe('list')
      }),
      { numRuns: process.env['CADRE_DEEP'] ? 1_000 : 150 },
    )
    fc.assert(fc.property(fc.json(), (text) => readSettingsAgents({ path, text }).diagnostics.length >= 0))
    fc.assert(
      fc.property(fc.jsonValue(), (agents) => {
        const { entry, agents: found } = read({ agents })
        expect(found.map(({ agent }) => agent.name)).toContain(entry)
      }),
    )
  })
})

/** Returns agents that set their tools, by name; `undefined` for invalid text. */
function soundAgents(text: string): Map<string, object> | undefined {
  const faults: ParseError[] = []
  const value = jsonParser().parse(text, faults, { allowTrailingComma: true })
  if (faults.length > 0 || !Array.isArray(value?.agents)) return undefined
  const agents = value.agents as { name: string; toolPermissions?: object }[]
  return new Map(
    agents.flatMap((agent) => (agent?.toolPermissions ? [[agent.name, agent.toolPermissions]] : [])),
  )
}
