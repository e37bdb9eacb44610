import { describe, expect, it } from 'vitest'
import { readAgentText } from './read-agent-text.ts'

const copilot = '/p/.github/agents/sample.agent.md'
const opencode = '/p/.opencode/agent/sample.md'
const read = (keys: string, path = copilot) =>
  readAgentText({ path, text: `---\ndescription: Sample\n${keys}\n---\nDo it.\n` })
const codes = (keys: string, path = copilot) => read(keys, path).diagnostics.map(({ code }) => code)
const list = (...names: string[]) => ({ kind: 'list', names })
const all = { kind: 'all' }

describe('tools', () => {
  it.each([
    ['', all],
    ["tools: '*'", all],
    ["tools: ['*']", all],
    ["tools: ['*', read]", all],
    ['tools: []', list()],
    ['tools: ""', list()],
    ['tools: false', list()],
    ['tools: Read, Grep ,  Bash', list('Read', 'Grep', 'Bash')],
    ['tools: Read', list('Read')],
    ['tools: |\n  Read\n  Grep', list('Read', 'Grep')],
    ['tools:\n  - read\n  - search/codebase', list('read', 'search/codebase')],
    ["tools: ['mcp__x__*']", list('mcp__x__*')],
    ['tools: [Microsoft Docs, "read, search"]', list('Microsoft Docs', 'read', 'search')],
    ['tools: [use them all]', list('use them all')],
    ['allowedTools: [Read]', list('Read')],
    ['allowed-tools: Read', list('Read')],
    ['tools: [read, edit]\nallowed_tools: [edit, web]', list('edit')],
  ])('%j', (keys, tools) => {
    expect(read(keys)).toMatchObject({ agent: { tools }, diagnostics: [] })
  })

  it.each([
    ['capabilities:\n  allowed_tools: [Read, Grep]\n  max_files: 3', list('Read', 'Grep'), undefined],
    ['capabilities:\n  allowed_tools:\n    - Read\n  restricted_tools:\n    - Bash', list('Read'), ['Bash']],
    ['permissions:\n  allowed_tools: [Read]', list('Read'), undefined],
    ['tools:\n  allowedTools: Read, Grep', list('Read', 'Grep'), undefined],
    ['tools: [Read, Edit]\nconstraints:\n  allowed_tools: [Edit]', list('Edit'), undefined],
  ])('reads a list in a group: %j', (keys, tools, disallowedTools) => {
    const { agent, diagnostics } = read(keys, opencode)
    expect(agent?.tools).toEqual(tools)
    expect(agent?.disallowedTools).toEqual(disallowedTools)
    expect(diagnostics).toEqual([])
  })

  it("reads a list of opencode's rules, where the last match applies", () => {
    const rules = [
      '{action: "*", resource: "*", effect: ask}',
      '{action: read, resource: "*", effect: allow}',
      '{action: shell, resource: "git push *", effect: deny}',
    ]
    const { agent, diagnostics } = read(`permissions:\n  - ${rules.join('\n  - ')}`, opencode)
    expect(agent?.tools).toEqual(all)
    expect(agent?.permissions).toEqual([
      { tool: '*', pattern: '*', action: 'ask' },
      { tool: 'read', pattern: '*', action: 'allow' },
      { tool: 'shell', pattern: 'git push *', action: 'deny' },
    ])
    expect(diagnostics).toEqual([])
  })

  it.each(['tools:', 'tools: true', 'tools: 3', 'tools: {read: yes please}', 'tools: {}'])(
    '%s is invalid: no tools',
    (keys) => {
      expect(read(keys).agent?.tools).toEqual(list())
    },
  )

  it.each([
    ['tools: [read, {bash: true}]', list('read'), ['tool-unclear']],
    ['tools: [[read]]', list(), ['tool-unclear']],
    ['tools: [1, read, ~]', list('read'), ['tool-unclear', 'tool-unclear']],
    ['tools: true', list(), ['tools-unclear']],
    ['tools:', list(), ['tools-unclear']],
  ])('%s', (keys, tools, said) => {
    expect([read(keys).agent?.tools, codes(keys)]).toEqual([tools, said])
  })

  it.each([
    ['{read: true, bash: false}', list('read'), ['bash']],
    ['{write: false, bash: false}', all, ['write', 'bash']],
    ['{"*": false, read: true}', list('read'), undefined],
    ['{"*": false}', list(), undefined],
    ['{"*": true, bash: false}', all, ['bash']],
    ['{read: true, bash: deny}', list(), undefined],
    ['{}', all, undefined],
  ])('a mapping: %s', (mapping, tools, disallowed) => {
    const { agent } = read(`tools: ${mapping}`, opencode)
    expect([agent?.tools, agent?.disallowedTools]).toEqual([tools, disallowed])
  })

  it('names with only spaces between them', () => {
    expect(read('tools: Read Grep').agent?.tools).toEqual(list('Read', 'Grep'))
    expect(read('tools: Read *').agent?.tools).toEqual(list('Read *'))
    expect(read('tools: can read and search').agent?.tools).toEqual(list('can read and search'))
  })

  it.each([
    [
      'tools: Read, Bash(git *), Bash(npm test:*)',
      ['Read', 'Bash'],
      [
        ['Bash', '*', 'deny'],
        ['Bash', 'git *', 'allow'],
        ['Bash', 'npm test *', 'allow'],
      ],
    ],
    ['tools: [Bash(git *), Bash]', ['Bash'], undefined],
    ['tools: [Bash(*), Read(**)]', ['Bash', 'Read'], undefined],
    ['tools: [Bash()]', ['Bash'], [['Bash', '*', 'deny']]],
    [
      'tools: [WebFetch(domain:a.org)]',
      ['WebFetch'],
      [
        ['WebFetch', '*', 'deny'],
        ['WebFetch', 'domain:a.org', 'allow'],
      ],
    ],
    ['tools: [Read, "Write(src/**", (x)]', ['Read'], undefined],
    // Both would have to apply, which a list of rules cannot express.
    ['tools: [Read, Bash(git *)]\npermission: {bash: allow}', ['Read'], [['bash', '*', 'allow']]],
    ['tools: [Read, Bash(git *)]\nallowedTools: [Read, Bash]', ['Read'], undefined],
  ])('for some uses: %s', (keys, names, rules) => {
    const { agent } = read(keys)
    expect(agent?.tools).toEqual(list(...names))
    expect(agent?.permissions?.map(({ tool, pattern, action }) => [tool, pattern, action])).toEqual(rules)
  })

  it.each([
    ['disallowedTools: Write, Edit', all, ['Write', 'Edit'], undefined],
    ['disallowed-tools: [Bash(rm *)]', all, undefined, [{ tool: 'Bash', pattern: 'rm *', action: 'deny' }]],
    [
      'disallowedTools: [WebFetch(domain:*)]',
      all,
      undefined,
      [{ tool: 'WebFetch', pattern: 'domain:*', action: 'deny' }],
    ],
    ['disallowedTools: [Bash(*), "Edit(x"]', all, ['Bash', 'Edit'], undefined],
    ['disallowedTools: []', all, undefined, undefined],
    ['disallowedTools: Write Edit', all, ['Write Edit', 'Write', 'Edit'], undefined],
    ['disallowedTools: {Write: true}', list(), undefined, undefined],
    ['disallowedTools: [Write, 3]', list(), undefined, undefined],
    ['disallowedTools:', list(), undefined, undefined],
    ["disallowedTools: '*'", list(), undefined, undefined],
    ['disallowedTools: Write\ndisallowed_tools: Edit', all, ['Write', 'Edit'], undefined],
    ['excludeTools: [Write]', all, ['Write'], undefined],
    ['readonly: true', all, ['edit', 'execute'], undefined],
    ['readonly: perhaps', all, ['edit', 'execute'], undefined],
    ['readonly: false', all, undefined, undefined],
    ['permissionMode: plan', all, ['edit', 'execute'], undefined],
    ['permissionMode: bypassPermissions', all, undefined, undefined],
  ])('%s', (keys, tools, disallowed, permissions) => {
    const { agent } = read(keys)
    expect([agent?.tools, agent?.disallowedTools, agent?.permissions]).toEqual([
      tools,
      disallowed,
      permissions,
    ])
  })

  it('a mode never grants more: it is kept, and mentioned', () => {
    expect(read('permissionMode: acceptEdits')).toMatchObject({
      agent: { unknown: { permissionMode: 'acceptEdits' } },
      diagnostics: [{ code: 'permission-mode', severity: 'info', line: 3 }],
    })
  })
})

describe('permission', () => {
  it('keeps the order of its rules', () => {
    const { agent, diagnostics } = read(
      'permission:\n  "*": ask\n  edit: deny\n  bash:\n    "*": ask\n    "git *": allow\n    "1": deny\n  external_directory: ask',
      opencode,
    )
    expect(diagnostics).toEqual([])
    expect(agent?.permissions?.map(({ tool, pattern, action }) => `${tool} ${pattern} ${action}`)).toEqual([
      '* * ask',
      'edit * deny',
      'bash * ask',
      'bash git * allow',
      'bash 1 deny',
      'external_directory * ask',
    ])
  })

  it.each([
    ['permission: deny', [{ tool: '*', pattern: '*', action: 'deny' }], []],
    ['permissions: {bash: ask}', [{ tool: 'bash', pattern: '*', action: 'ask' }], []],
    ['permission: {bash: maybe}', [{ tool: 'bash', pattern: '*', action: 'deny' }], ['permission-action']],
    ['permission: {bash: true}', [{ tool: 'bash', pattern: '*', action: 'deny' }], ['permission-action']],
    [
      'permission: {bash: {x: [allow]}}',
      [{ tool: 'bash', pattern: 'x', action: 'deny' }],
      ['permission-action'],
    ],
    ['permission: {}', undefined, []],
  ])('%s', (keys, permissions, said) => {
    expect([read(keys).agent?.permissions, codes(keys)]).toEqual([permissions, said])
    expect(read(keys).agent?.tools).toEqual(all)
  })

  it.each(['permission: [bash]', 'permission:', 'permission: 3', 'permission: ask\npermissions: allow'])(
    '%j: no tools',
    (keys) => {
      expect(read(keys).agent?.tools).toEqual(list())
      expect(codes(keys)).toContain('permission-unclear')
    },
  )
})

describe('targets', () => {
  it.each([
    ['', undefined],
    ["agents: '*'", all],
    ["agents: ['*']", all],
    ['agents: []', { kind: 'none' }],
    ['agents: false', { kind: 'none' }],
    ['agents: [Plan, "Code Reviewer"]', list('Plan', 'Code Reviewer')],
    ['agents: a, b c', list('a', 'b c')],
    ['subagents: [a]', list('a')],
    ['agents: [a, b]\nsubagents: [B, c]', list('b')],
    ['agents:', { kind: 'none' }],
    ['agents: true', { kind: 'none' }],
    ['agents: [a, {name: b}]', list('a')],
    ['tools: Read, Agent(a, b)', list('a', 'b')],
    ['tools: [Task(a, b), Read]', list('a', 'b')],
    ['tools: [Agent(a), Task(b)]', list('a', 'b')],
    ['tools: [Agent()]', list()],
    ['tools: [Agent(*)]', all],
    ['tools: [Agent(a, b)]\nagents: [B, c]', list('B')],
    ['tools: [Agent(a)]\nagents: []', { kind: 'none' }],
    ["tools: [Agent(a)]\nagents: '*'", list('a')],
  ])('%j', (keys, delegates) => {
    expect(read(keys).agent?.delegates).toEqual(delegates)
  })
})

describe('who may start it', () => {
  it.each([
    ['', undefined, undefined],
    ['user-invocable: false', false, undefined],
    ['user-invokable: false', false, undefined],
    ['user-invocable: true', true, undefined],
    ['user-invocable: perhaps', false, undefined],
    ['user-invocable:', false, undefined],
    ['user-invocable: "no"', false, undefined],
    ['disable-model-invocation: true', undefined, false],
    ['disable-model-invocation: false', undefined, true],
    ['disable-model-invocation: perhaps', undefined, false],
    ['infer: false', undefined, false],
    ['infer: true', undefined, true],
    ['infer: true\ndisable-model-invocation: true', undefined, false],
    ['infer: user', true, false],
    ['infer: agent', false, true],
    ['infer: hidden', false, false],
    ['mode: primary', undefined, false],
    ['mode: subagent', undefined, undefined],
    ['mode: all', undefined, undefined],
    ['mode: ask', undefined, undefined],
    ['hidden: true', false, undefined],
    ['hidden: false', undefined, undefined],
    ['hidden: true\nuser-invocable: true', false, undefined],
  ])('%j', (keys, user, model) => {
    const { agent } = read(keys)
    expect([agent?.userInvocable, agent?.modelInvocable]).toEqual([user, model])
  })

  it('an unknown mode of opencode permits nothing', () => {
    expect(read('mode: tertiary', opencode)).toMatchObject({
      agent: { modelInvocable: false, unknown: { mode: 'tertiary' } },
      diagnostics: [{ code: 'mode-unclear', line: 3 }],
    })
  })

  it('an agent can be disabled', () => {
    expect(read('disable: true', opencode)).toMatchObject({
      disabled: true,
      agent: { unknown: { disable: true } },
      diagnostics: [{ code: 'agent-disabled', severity: 'info', line: 3 }],
    })
    expect(read('disable: false', opencode).disabled).toBeUndefined()
  })
})

describe('limits', () => {
  it.each([
    ['maxTurns: 5', { maxTurns: 5 }],
    ['max_turns: "5"', { maxTurns: 5 }],
    ['steps: 5', { maxTurns: 5 }],
    ['maxSteps: 5\nsteps: 3', { maxTurns: 3 }],
    ['max-turns: 9\nmaxTurns: 3', { maxTurns: 3 }],
    ['steps: [one, two]', undefined],
    ['timeout: 90', { timeoutSeconds: 90 }],
    ['timeout: 5m', { timeoutSeconds: 300 }],
    ['timeout: 1h\ntimeoutSeconds: 60', { timeoutSeconds: 60 }],
    ['budget: {tokens: 10, cost: 0.5}', { budget: { tokens: 10, cost: 0.5 } }],
  ])('%j', (keys, limits) => {
    expect(read(keys).agent?.limits).toEqual(limits)
  })

  it.each([
    ['maxTurns: many', 'wrong-value', 3],
    ['maxTurns: 0', 'wrong-value', 3],
    ['maxTurns:', 'wrong-value', 3],
    ['maxTurns: 5\nmax-turns: many', 'wrong-value', 4],
    ['timeout: soon', 'wrong-value', 3],
    ['budget:\n  tokens: -1', 'wrong-value', 4],
    ['budget:\n  token: 1', 'unknown-key', 4],
    ['budget: little', 'wrong-value', 3],
    ['isolation: container', 'wrong-value', 3],
    ['required_sections: {a: b}', 'wrong-value', 3],
  ])('%j cannot be enforced: not loaded', (keys, code, line) => {
    const { agent, diagnostics } = read(keys)
    expect(agent).toBeUndefined()
    expect(diagnostics.find(({ severity }) => severity === 'error')).toMatchObject({
      code,
      line,
      path: copilot,
    })
  })
})

describe('the other keys', () => {
  it('are read in all their spellings', () => {
    const { agent, diagnostics } = read(
      [
        'name: Lead Agent',
        'use-for: hard things',
        'model: [GPT-5 (copilot), inherit, sonnet]',
        'background: true',
        'required_sections: [Summary, "Evidence, in full"]',
        'isolation: worktree',
        'handoffs:',
        '  - {label: Go, agent: builder, prompt: Build it, send: true, model: x, context: summary, showContinueOn: false}',
        '  - {agent: other, context: much}',
        '  - plain',
        '  - {label: nobody}',
        'color: blue',
        'hooks: {PreToolUse: [1]}',
        'mcp-servers: {s: {command: x}}',
        'mode: subagent',
        'temperature: 0.1',
      ].join('\n'),
    )
    expect(diagnostics.map(({ code, line }) => `${code}:${line}`)).toEqual(['handoff-unclear:13'])
    expect(agent).toEqual({
      name: 'Lead Agent',
      description: 'Sample',
      prompt: 'Do it.',
      tools: all,
      useFor: 'hard things',
      models: ['GPT-5 (copilot)', 'inherit', 'sonnet'],
      requiredSections: ['Summary', 'Evidence, in full'],
      isolation: 'workspace',
      background: true,
      handoffs: [
        {
          label: 'Go',
          agent: 'builder',
          prompt: 'Build it',
          send: true,
          model: 'x',
          context: 'summary',
          showContinueOn: false,
        },
        { label: 'other', agent: 'other', prompt: '' },
        { label: 'plain', agent: 'plain', prompt: '' },
      ],
      hooks: { PreToolUse: [1] },
      mcpServers: { s: { command: 'x' } },
      unknown: { color: 'blue', mode: 'subagent', temperature: 0.1 },
      source: { path: copilot, dialect: 'copilot', line: 2 },
    })
  })

  it.each([
    ['model: sonnet', ['sonnet']],
    ['models: [a, b]', ['a', 'b']],
    ['model: inherit', undefined],
    ['model:', undefined],
    ["model: GPT-4.1 | 'gpt-5'", ["GPT-4.1 | 'gpt-5'"]],
    ['model: [a, {b: c}]', ['a']],
    ['model: {a: 1}', undefined],
    ['model: a: b', ['a: b']],
    ['model: [a', undefined],
    ['model: a\nmodels: b', ['a']],
  ])('%j', (keys, models) => {
    expect(read(keys).agent?.models).toEqual(models)
  })

  it.each([
    'SE: DevOps/CI',
    'C# Expert',
    '.NET Architect',
    'agentspec:build-agent',
    'Plänerin',
    'Plan Mode - Strategic Planning & Architecture',
    '../../etc',
    '<x> $(y) | "z"',
    '👩‍🔬 science',
    'x'.repeat(200),
  ])('the name %s is kept as written', (name) => {
    expect(read(`name: ${JSON.stringify(name)}`)).toMatchObject({ agent: { name }, diagnostics: [] })
  })

  it.each([
    ['name: 7', '7'],
    ['name: true', 'true'],
    ['name: 2026-01-01', '2026-01-01'],
    ['name: " a "', 'a'],
    ['name:', 'sample'],
    ['name: SE: Architect', 'SE: Architect'],
  ])('%s is %s', (keys, name) => {
    expect(read(keys).agent?.name).toBe(name)
  })

  it.each(['a\nb', 'a\u0000b', 'a\u001b[31m', 'a\u2028b', 'a\u202eb', ' ', '', 'x'.repeat(201)])(
    'the name %j is not used, but the file name is',
    (name) => {
      expect(read(`name: ${JSON.stringify(name)}`)).toMatchObject({
        agent: { name: 'sample' },
        diagnostics: [{ code: 'name-unusable', line: 3 }],
      })
    },
  )

  it.each([
    ['/p/planner.chat.agent.md', 'planner.chat'],
    ['/p/.github/chatmodes/Plan it.chatmode.md', 'Plan it'],
    ['C:\\p\\.claude\\agents\\a.md', 'a'],
  ])('%s has the name %s', (path, name) => {
    expect(read('', path).agent?.name).toBe(name)
  })

  it('a description that YAML reads as another type is text', () => {
    const text = (value: string) =>
      readAgentText({ path: copilot, text: `---\ndescription: ${value}\n---\nx` })
    expect(text('42').agent?.description).toBe('42')
    expect(text('true').agent?.description).toBe('true')
    expect(text('2026-01-01').agent?.description).toBe('2026-01-01')
    expect(text('\n  - a\n  - b').agent?.description).toBe('- a - b')
    expect(text('"a\\nb"').agent?.description).toBe('a\nb')
    for (const empty of ['', '~', '""'])
      expect(text(empty)).toMatchObject({
        agent: { description: '' },
        diagnostics: [{ code: 'description-missing' }],
      })
  })

  it('a prompt in the header is used if there is none below it', () => {
    expect(readAgentText({ path: opencode, text: '---\nprompt: Do it.\n---\n' }).agent?.prompt).toBe('Do it.')
    expect(read('prompt: Not this').agent).toMatchObject({
      prompt: 'Do it.',
      unknown: { prompt: 'Not this' },
    })
  })

  it('__proto__ is an ordinary key', () => {
    const { agent } = read(
      '__proto__: {polluted: true}\nconstructor: x\nhandoffs: [{agent: a, __proto__: {send: true}}]',
    )
    expect(Object.keys(agent?.unknown ?? {}).sort()).toEqual(['__proto__', 'constructor'])
    expect({}).not.toHaveProperty('polluted')
    expect(agent?.tools).toEqual(all)
    expect(agent?.handoffs?.[0]?.send).toBeUndefined()
  })

  it('uses and reports the first of two equal unknown keys', () => {
    expect(read('x: 1\nX: 2')).toMatchObject({
      agent: { unknown: { x: 1 } },
      diagnostics: [{ code: 'key-twice', line: 4 }],
    })
  })
})

describe('handoffs with an invalid one', () => {
  const good = '  - label: Go\n    agent: worker\n    prompt: Go on'

  it.each([
    ['invalid handoff', '  - label: Lost', 'handoff-unclear', 4],
    ['handoff with invalid YAML', '  - label: "Lost\n    agent: [', 'value-unreadable', 4],
  ])('one %s does not affect the others', (_, broken, code, line) => {
    const { agent, diagnostics } = read(`handoffs:\n${broken}\n${good}`)
    expect(agent?.handoffs).toEqual([{ label: 'Go', agent: 'worker', prompt: 'Go on' }])
    expect(diagnostics.map((one) => [one.code, one.line])).toEqual([[code, line]])
  })
})

describe('a hidden agent of opencode', () => {
  it('for people can be started by them', () => {
    expect(read('mode: primary\nhidden: true', opencode).agent).not.toHaveProperty('userInvocable')
    expect(read('mode: subagent\nhidden: true', opencode).agent?.userInvocable).toBe(false)
  })
})
