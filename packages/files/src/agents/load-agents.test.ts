import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { AgentDefinition } from '@cadre/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAgents } from './create-agents.ts'
import { loadAgents } from './load-agents.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-agents-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (file: string) => path.join(root, file)
const write = (file: string, text: string | Buffer) => {
  mkdirSync(path.dirname(at(file)), { recursive: true })
  writeFileSync(at(file), text)
}
const load = () => loadAgents({ home: at('.cadre'), project: root, userHome: at('user') })
const header = (keys: string, body = 'Do it.') => `---\n${keys}\n---\n${body}\n`

/** One agent out of a header, with what was said about it. */
async function one(
  keys: string,
): Promise<{ agent: AgentDefinition | undefined; codes: string[]; said: string }> {
  write('.github/agents/sample.agent.md', header(`description: Sample\n${keys}`))
  const { agents, diagnostics } = await load()
  return {
    agent: agents[0],
    codes: diagnostics.map(({ code }) => code),
    said: diagnostics.map(({ message }) => message).join(' '),
  }
}

describe('where agents come from', () => {
  it('reads each dialect', async () => {
    write(
      '.github/agents/planner.agent.md',
      header('description: Plans\ntools: [read_file, search]', '# Plan\n\nPlan it.'),
    )
    write(
      '.claude/agents/reviewer.md',
      header('name: code-reviewer\ndescription: Reviews\ntools: Read, Grep\nmodel: inherit'),
    )
    write(
      '.cadre/templates/executor-001.agent.yaml',
      'id: executor-001\ntype: executor\nmodel: claude-sonnet-4.5\nsystem_prompt: |\n  You execute.\n  Carefully.\ncapabilities:\n  - execute_command\n  - read_file\nmetadata:\n  version: "1.0"\n',
    )
    write(
      '.cadre/templates/other.agent.yaml',
      'agent_id: retriever\nagent_type: retriever\ndescription: Finds\nsystem_prompt: You find.\ntools: []\n',
    )
    const { agents, diagnostics, files } = await load()
    expect(diagnostics.map(({ code, path: file }) => [code, path.basename(file)])).toEqual([
      ['description-missing', 'executor-001.agent.yaml'],
    ])
    expect(files.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(agents).toEqual([
      {
        name: 'code-reviewer',
        description: 'Reviews',
        prompt: 'Do it.',
        tools: { kind: 'list', names: ['Read', 'Grep'] },
        source: { path: at('.claude/agents/reviewer.md'), dialect: 'claude', line: 2 },
      },
      {
        name: 'executor-001',
        description: '',
        prompt: 'You execute.\nCarefully.',
        type: 'executor',
        models: ['claude-sonnet-4.5'],
        tools: { kind: 'list', names: ['execute_command', 'read_file'] },
        unknown: { metadata: { version: '1.0' } },
        source: { path: at('.cadre/templates/executor-001.agent.yaml'), dialect: 'template', line: 1 },
      },
      {
        name: 'planner',
        description: 'Plans',
        prompt: '# Plan\n\nPlan it.',
        tools: { kind: 'list', names: ['read_file', 'search'] },
        source: { path: at('.github/agents/planner.agent.md'), dialect: 'copilot', line: 2 },
      },
      {
        name: 'retriever',
        description: 'Finds',
        prompt: 'You find.',
        type: 'retriever',
        tools: { kind: 'list', names: [] },
        source: { path: at('.cadre/templates/other.agent.yaml'), dialect: 'template', line: 1 },
      },
    ])
  })

  it('the higher level is used, and every shadowing is said', async () => {
    const places = [
      'user/.claude/agents/lead.md',
      'user/.copilot/agents/lead.agent.md',
      '.claude/agents/lead.md',
      '.github/agents/Lead.agent.md',
      '.cadre/templates/LEAD.agent.yaml',
    ]
    for (const [index, place] of places.entries()) {
      write(
        place,
        place.endsWith('yaml')
          ? 'id: LEAD\ndescription: d\nsystem_prompt: "4"\n'
          : header('description: d', String(index)),
      )
      const { agents, files, diagnostics } = await load()
      expect(agents.map(({ prompt }) => prompt)).toEqual([String(index)])
      expect(diagnostics.filter(({ code }) => code === 'shadowed')).toHaveLength(index)
      const winner = files.find((file) => file.shadowedBy === undefined)
      expect(winner?.shadows?.toSorted() ?? []).toEqual(places.slice(0, index).map(at).toSorted())
      expect(files.filter((file) => file.shadowedBy === at(place))).toHaveLength(index)
    }
    const builtIns = [{ name: 'Lead', description: '', prompt: 'built in', tools: { kind: 'all' } as const }]
    expect((await loadAgents({ home: at('.cadre'), builtIns })).agents.map(({ prompt }) => prompt)).toEqual([
      '4',
    ])
    expect((await loadAgents({ builtIns })).agents).toEqual(builtIns)
  })

  it('two of one name in one folder: the first by path, and an error for the other', async () => {
    write('.github/agents/a.agent.md', header('name: same\ndescription: d', 'first'))
    write('.github/agents/b.agent.md', header('name: Same\ndescription: d', 'second'))
    const { agents, files } = await load()
    expect(agents.map(({ prompt }) => prompt)).toEqual(['first'])
    expect(files[1]).toMatchObject({
      status: 'failed',
      shadowedBy: at('.github/agents/a.agent.md'),
      diagnostics: [{ severity: 'error', code: 'name-twice' }],
    })
  })

  it('looks into folders, follows links, and never goes round in circles', async () => {
    write('.claude/agents/team/deep/a.md', header('description: d'))
    write('elsewhere/b.md', header('description: d'))
    symlinkSync(at('elsewhere'), at('.claude/agents/linked'))
    symlinkSync('..', at('.claude/agents/team/up'))
    symlinkSync('.', at('.claude/agents/self'))
    symlinkSync('missing.md', at('.claude/agents/dangling.md'))
    symlinkSync('loop.md', at('.claude/agents/loop.md'))
    const { agents, files } = await load()
    expect(agents.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(
      files
        .filter(({ status }) => status === 'failed')
        .map((file) => [path.basename(file.path), file.diagnostics[0]?.code]),
    ).toEqual([
      ['dangling.md', 'file-unreadable'],
      ['loop.md', 'file-unreadable'],
    ])
  })

  it('one file reached in two ways is one agent', async () => {
    write('.claude/agents/a.md', header('description: d'))
    mkdirSync(at('.github'))
    mkdirSync(at('.github/agents'))
    symlinkSync(at('.claude/agents/a.md'), at('.github/agents/a.agent.md'))
    const { agents, diagnostics } = await load()
    expect([agents.length, diagnostics.length]).toEqual([1, 0])
  })

  it.skipIf(process.platform === 'win32')('a pipe among the files does not stop anything', async () => {
    write('.claude/agents/a.md', header('description: d'))
    execFileSync('mkfifo', [at('.claude/agents/pipe.md')])
    expect((await load()).agents.map(({ name }) => name)).toEqual(['a'])
  })

  it.skipIf(process.getuid?.() === 0)('a file that cannot be read is listed', async () => {
    write('.claude/agents/a.md', header('description: d'))
    chmodSync(at('.claude/agents/a.md'), 0)
    expect((await load()).files[0]).toMatchObject({
      status: 'failed',
      diagnostics: [{ code: 'file-unreadable' }],
    })
  })

  it('a folder that does not exist is no problem, and neither are files of other kinds', async () => {
    write('.github/agents/notes.txt', 'x')
    write('.cadre/templates/readme.md', 'x')
    expect(await load()).toEqual({ agents: [], files: [], diagnostics: [] })
  })
})

describe('a header that is wrong', () => {
  it.each([
    ['nothing', '', 'header-missing', 1],
    ['no header', '# Notes\n', 'header-missing', 1],
    ['a language behind the dashes', '---js\nglobalThis.pwned = 1\n---\n', 'header-missing', 1],
    ['not closed', '---\nname: a\n', 'header-unclosed', 1],
    ['a colon in a value', '---\nname: a\ndescription: Use: this\n---\n', 'yaml-block-as-implicit-key', 3],
    ['a star', '---\nname: a\ntools: *\n---\n', 'yaml-bad-alias', 3],
    ['a key twice', '---\nname: a\nname: b\n---\n', 'yaml-duplicate-key', 3],
    ['a list', '---\n- a\n---\n', 'header-shape', 2],
    ['a tag', '---\nname: !!js/function "x"\n---\n', 'yaml-tag', 2],
    ['two spellings of a key', '---\nmaxTurns: 3\nmax-turns: 4\n---\n', 'key-twice', 3],
    ['an unreadable limit', '---\ndescription: d\nmaxTurns: many\n---\n', 'wrong-value', 3],
    ['limit zero', '---\nmaxTurns: 0\n---\n', 'wrong-value', 2],
    ['a timeout', '---\ntimeout: soon\n---\n', 'wrong-value', 2],
    ['a budget', '---\nbudget:\n  tokens: -1\n---\n', 'wrong-value', 3],
    ['a misspelt budget', '---\nbudget:\n  token: 1\n---\n', 'unknown-key', 3],
    ['isolation', '---\nisolation: container\n---\n', 'wrong-value', 2],
    ['a flag', '---\nuser-invocable: maybe\n---\n', 'wrong-value', 2],
    ['a model', '---\nmodel: {a: 1}\n---\n', 'wrong-value', 2],
  ])('%s: not loaded, and listed with its line', async (_, text, code, line) => {
    write('.claude/agents/a.md', text)
    const { agents, files, diagnostics } = await load()
    expect(agents).toEqual([])
    expect(files).toMatchObject([{ path: at('.claude/agents/a.md'), dialect: 'claude', status: 'failed' }])
    expect(diagnostics.find(({ severity }) => severity === 'error')).toMatchObject({
      path: at('.claude/agents/a.md'),
      line,
      code,
      severity: 'error',
    })
    expect(globalThis).not.toHaveProperty('pwned')
  })

  it('does not stop the others, nor does a bomb', async () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefghi'
        .split('')
        .map(
          (letter, index) => `${letter}: &${letter} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]`,
        ),
    ].join('\n')
    write('.claude/agents/bomb.md', header(bomb))
    write('.claude/agents/self.md', header('a: &a [*a]'))
    write('.claude/agents/deep.md', header(`a: ${'['.repeat(200_000)}`))
    write('.claude/agents/nested.md', header(`a: ${'['.repeat(150)}${']'.repeat(150)}`))
    write(
      '.claude/agents/keys.md',
      header(Array.from({ length: 15_000 }, (_, index) => `k${index}: v`).join('\n')),
    )
    write('.claude/agents/huge.md', Buffer.alloc(2_000_000, '-'))
    write('.claude/agents/ok.md', header('description: d'))
    const start = Date.now()
    const { agents, files } = await load()
    expect(Date.now() - start).toBeLessThan(20_000)
    expect(agents.map(({ name }) => name)).toEqual(['keys', 'ok'])
    expect(files.filter(({ status }) => status === 'failed')).toHaveLength(5)
  })

  it('ends at a line of dashes, not at dashes in a value; knows \\r\\n and the mark', async () => {
    write(
      '.claude/agents/a.md',
      `\ufeff${header('description: a --- b\nnote: |\n  ---x', 'Body\n---\nmore')}`.replaceAll('\n', '\r\n'),
    )
    const { agents } = await load()
    expect(agents[0]).toMatchObject({
      description: 'a --- b',
      prompt: 'Body\n---\nmore',
      unknown: { note: '---x\n' },
    })
  })
})

describe('tools and targets', () => {
  it.each([
    ['', { kind: 'all' }],
    ["tools: '*'", { kind: 'all' }],
    ["tools: ['*']", { kind: 'all' }],
    ['tools: []', { kind: 'list', names: [] }],
    ['tools: ""', { kind: 'list', names: [] }],
    ['tools: Read, Grep ,  Bash', { kind: 'list', names: ['Read', 'Grep', 'Bash'] }],
    ['tools:\n  - read\n  - search/codebase', { kind: 'list', names: ['read', 'search/codebase'] }],
    ["tools: ['mcp__x__*']", { kind: 'list', names: ['mcp__x__*'] }],
  ])('%j', async (keys, tools) => {
    expect(await one(keys)).toMatchObject({ agent: { tools }, codes: [] })
  })

  it.each([
    'tools:',
    'tools: true',
    'tools: 3',
    'tools: {read: true}',
    'tools: [read, {bash: true}]',
    'tools: [[read]]',
  ])('%s is not understood: no tools, and it is said', async (keys) => {
    expect(await one(keys)).toMatchObject({
      agent: { tools: { kind: 'list', names: [] } },
      codes: ['tools-unclear'],
    })
  })

  it('a tool that is limited to some uses is not given without the limit', async () => {
    const { agent, codes } = await one("tools: Read, Bash(git log:*), 'Write(src/**'")
    expect([agent?.tools, codes]).toEqual([{ kind: 'list', names: ['Read'] }, ['tool-scope', 'tool-scope']])
  })

  it.each([
    ['disallowedTools: Write, Edit', { kind: 'all' }, ['Write', 'Edit']],
    ['disallowed-tools: [Bash(rm *)]', { kind: 'all' }, ['Bash']],
    ['disallowedTools: {Write: true}', { kind: 'list', names: [] }, undefined],
    ["disallowedTools: '*'", { kind: 'list', names: [] }, undefined],
  ])('%s', async (keys, tools, disallowed) => {
    const { agent } = await one(keys)
    expect([agent?.tools, agent?.disallowedTools]).toEqual([tools, disallowed])
  })

  it.each([
    ['', undefined],
    ["agents: '*'", { kind: 'all' }],
    ["agents: ['*']", { kind: 'all' }],
    ['agents: []', { kind: 'none' }],
    ['agents: [Plan, "Code Reviewer"]', { kind: 'list', names: ['Plan', 'Code Reviewer'] }],
    ['agents: a, b', { kind: 'list', names: ['a', 'b'] }],
    ['agents:', { kind: 'none' }],
    ['agents: true', { kind: 'none' }],
    ['tools: Read, Agent(a, b)', { kind: 'list', names: ['a', 'b'] }],
    ['tools: [Task(a, b), Read]', { kind: 'list', names: ['a', 'b'] }],
    ['tools: [Agent(a), Task(b)]', { kind: 'list', names: ['a', 'b'] }],
    ['tools: [Agent()]', { kind: 'list', names: [] }],
    ['tools: [Agent(a, b)]\nagents: [B, c]', { kind: 'list', names: ['B'] }],
    ['tools: [Agent(a)]\nagents: []', { kind: 'none' }],
    ["tools: [Agent(a)]\nagents: '*'", { kind: 'list', names: ['a'] }],
  ])('targets of %j', async (keys, delegates) => {
    expect((await one(keys)).agent?.delegates).toEqual(delegates)
  })
})

describe('the other keys', () => {
  it('are read in all their spellings', async () => {
    const { agent, codes } = await one(
      [
        'name: Lead Agent',
        'use-for: hard things',
        'model: [GPT-5, inherit, sonnet]',
        'max-turns: 12',
        'timeout: 5m',
        'budget: {tokens: 1000, cost: 0.5, calls: 3}',
        'user-invocable: false',
        'disable-model-invocation: true',
        'required_sections: [Summary, "Evidence, in full"]',
        'isolation: worktree',
        'handoffs:',
        '  - {label: Go, agent: builder, prompt: Build it, send: true, model: x}',
        '  - {agent: other}',
        '  - plain',
        '  - {label: nobody}',
        'color: blue',
        'hooks: {PreToolUse: [1]}',
      ].join('\n'),
    )
    expect(codes).toEqual(['handoff-unclear'])
    expect(agent).toMatchObject({
      name: 'Lead Agent',
      useFor: 'hard things',
      models: ['GPT-5', 'sonnet'],
      limits: { maxTurns: 12, timeoutSeconds: 300, budget: { tokens: 1000, cost: 0.5, calls: 3 } },
      userInvocable: false,
      modelInvocable: false,
      requiredSections: ['Summary', 'Evidence, in full'],
      isolation: 'workspace',
      handoffs: [
        { label: 'Go', agent: 'builder', prompt: 'Build it', send: true, model: 'x' },
        { label: 'other', agent: 'other', prompt: '' },
        { label: 'plain', agent: 'plain', prompt: '' },
      ],
      unknown: { color: 'blue', hooks: { PreToolUse: [1] } },
    })
  })

  it.each([
    'SE: Architect',
    'C# Expert',
    '.NET Architect',
    'agentspec:build-agent',
    'powershell-5.1-expert',
    'Plänerin',
    'Plan Mode - Strategic Planning & Architecture',
    '7',
  ])('the name %s is kept as written', async (name) => {
    expect((await one(`name: ${JSON.stringify(name)}`)).agent?.name).toBe(name)
  })

  it.each([
    '../../etc',
    'a/b',
    'a\\b',
    '..',
    '"',
    'a\nb',
    'a\u0000b',
    'a  b',
    '<x>',
    '$(x)',
    'x'.repeat(101),
    '',
  ])('the name %j is not used, the name of the file is', async (name) => {
    const { agent, codes } = await one(`name: ${JSON.stringify(name)}`)
    expect([agent?.name, codes]).toEqual(['sample', ['name-unusable']])
  })

  it('__proto__ is a key like any other', async () => {
    const { agent } = await one('__proto__: {polluted: true}\nconstructor: x')
    expect(Object.keys(agent?.unknown ?? {}).sort()).toEqual(['__proto__', 'constructor'])
    expect({}).not.toHaveProperty('polluted')
    expect(agent?.tools).toEqual({ kind: 'all' })
  })
})

describe('createAgents', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const longAgo = new Date(Date.now() - 60_000)

  it('gives what is on disk, from the next turn on', async () => {
    const agents = createAgents({ home: at('.cadre'), project: root })
    expect(agents.list()).toEqual([])
    expect(agents.get('a')).toBeUndefined()
    const change = async (text: string) => {
      write('.claude/agents/a.md', text)
      await turn()
    }
    await change(header('description: one'))
    expect(agents.get('A')?.description).toBe('one')
    // Same size, and perhaps the same time.
    for (const word of ['two', 'six', 'ten']) {
      await change(header(`description: ${word}`))
      expect(agents.get('a')?.description).toBe(word)
    }
    await change(header('description: tools: broken'))
    expect(agents.get('a')).toBeUndefined()
    expect(agents.loaded().files).toMatchObject([{ status: 'failed' }])
    unlinkSync(at('.claude/agents/a.md'))
    await turn()
    expect(agents.loaded()).toEqual({ agents: [], files: [], diagnostics: [] })
  })

  it('gives the same objects while nothing changes', async () => {
    for (const name of ['a', 'b']) write(`.claude/agents/${name}.md`, header('description: one'))
    const agents = createAgents({ project: root })
    // A file that was written just now may be written again within the same tick of the system's clock: it settles by itself.
    let list = agents.list()
    for (let before: typeof list | undefined; before !== list; ) {
      await turn()
      before = list
      list = agents.list()
    }
    const a = agents.get('a')
    await turn()
    expect(agents.list()).toBe(list)
    write('.claude/agents/b.md', header('description: changed'))
    await turn()
    expect(agents.get('a')).toBe(a)
    expect(agents.list()).not.toBe(list)
    expect(agents.get('b')?.description).toBe('changed')
  })

  it('sees a file that is moved in with an old date, and one behind a link', async () => {
    write('elsewhere/a.md', header('description: one'))
    utimesSync(at('elsewhere/a.md'), longAgo, longAgo)
    mkdirSync(at('.claude/agents'), { recursive: true })
    const agents = createAgents({ project: root })
    expect(agents.list()).toEqual([])
    renameSync(at('elsewhere/a.md'), at('.claude/agents/a.md'))
    await turn()
    expect(agents.get('a')?.description).toBe('one')
    write('elsewhere/b.md', header('description: linked'))
    symlinkSync(at('elsewhere/b.md'), at('.claude/agents/b.md'))
    await turn()
    expect(agents.get('b')?.description).toBe('linked')
    write('elsewhere/b.md', header('description: changed'))
    await turn()
    expect(agents.get('b')?.description).toBe('changed')
  })

  it('does not look through a whole disk', async () => {
    mkdirSync(at('many'))
    for (let index = 0; index < 10_050; index++) writeFileSync(at(`many/${index}`), '')
    mkdirSync(at('.claude/agents'), { recursive: true })
    symlinkSync(at('many'), at('.claude/agents/many'))
    expect((await load()).diagnostics).toMatchObject([{ code: 'too-many-files', path: at('.claude/agents') }])
  })
})
