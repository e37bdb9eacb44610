import { mkdirSync, symlinkSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { agentText, createFolder } from './folder.spec-helpers.ts'
import { lintFiles, lintFolder } from './lint-folder.ts'
import type { LintKnowledge } from './subject.ts'

type Files = Readonly<Record<string, string | Buffer>>

/** Returns the findings as `path:line severity code`. */
async function lint(files: Files, knowledge: LintKnowledge = {}) {
  const folder = createFolder(files)
  mkdirSync(folder.at('.git'))
  const result = await lintFolder(folder.path, { cwd: folder.path, knowledge })
  return {
    ...result,
    said: result.files.flatMap(({ path, diagnostics }) =>
      diagnostics.map(({ severity, code, line }) => `${path}:${line} ${severity} ${code}`),
    ),
    messages: result.files.flatMap(({ diagnostics }) => diagnostics.map(({ message }) => message)),
  }
}

const copilot = '.github/agents/a.agent.md'
const claude = '.claude/agents/a.md'
const good = 'name: a\ndescription: Does things'
const worker = agentText('name: worker\ndescription: Works')
const withWorker = { '.github/agents/worker.agent.md': worker }

describe('one file', () => {
  test.each<[string, Files, string[]]>([
    ['nothing wrong', { [copilot]: agentText(`${good}\ntools: [read, search]\nmodel: gpt-5`) }, []],
    ['no header', { [claude]: 'Just text.\n' }, [`${claude}:1 error header-missing`]],
    [
      'no header, where every file is an agent',
      { '.opencode/agent/a.md': 'Just text.\n' },
      ['.opencode/agent/a.md:1 warning header-missing'],
    ],
    ['no description', { [copilot]: agentText('name: a') }, [`${copilot}:2 warning description-required`]],
    [
      'no description, for Claude',
      { [claude]: agentText('name: a') },
      [`${claude}:2 warning description-required`],
    ],
    ['no instructions', { [copilot]: agentText(good, '') }, [`${copilot}:2 warning prompt-missing`]],
    [
      'a long description',
      { [claude]: agentText(`name: a\ndescription: ${'x'.repeat(1025)}`) },
      [`${claude}:3 info description-long`],
    ],
    [
      'a description of the maximum length',
      { [claude]: agentText(`name: a\ndescription: ${'x'.repeat(1024)}`) },
      [],
    ],
    [
      'long instructions',
      { [copilot]: agentText(good, 'x'.repeat(30_001)) },
      [`${copilot}:2 warning prompt-long`],
    ],
    [
      'long instructions that github.com never reads',
      {
        [copilot]: agentText(`${good}\ntarget: vscode`, 'x'.repeat(30_001)),
        '.claude/agents/b.md': agentText('name: b\ndescription: d', 'x'.repeat(30_001)),
        '.github/chatmodes/c.chatmode.md': agentText('description: d', 'x'.repeat(30_001)),
      },
      [],
    ],
    [
      'another name than the file',
      { [claude]: agentText('name: b\ndescription: d') },
      [`${claude}:2 info name-differs`],
    ],
    ['the same in another case', { [claude]: agentText('name: A\ndescription: d') }, []],
    ['a display name, for Copilot', { [copilot]: agentText('name: Some Name\ndescription: d') }, []],
    [
      'a name with special characters',
      { [copilot]: agentText("name: 'SE: Dev & Ops'\ndescription: d") },
      [`${copilot}:2 info name-hard-to-address`],
    ],
    [
      'a file name with spaces',
      { '.github/agents/my agent.agent.md': agentText(good) },
      ['.github/agents/my agent.agent.md:1 info file-name'],
    ],
    [
      'an old spelling',
      { [copilot]: agentText(`${good}\nuser-invokable: true`) },
      [`${copilot}:4 warning user-invokable`],
    ],
    ['infer', { [copilot]: agentText(`${good}\ninfer: true`) }, [`${copilot}:4 warning infer-retired`]],
    [
      'several models',
      { [copilot]: agentText(`${good}\nmodel: [gpt-5, o3]`) },
      [`${copilot}:4 warning model-list`],
    ],
    [
      'several models, for VS Code only',
      { [copilot]: agentText(`${good}\ntarget: vscode\nmodel: [gpt-5, o3]`) },
      [],
    ],
    [
      'an unusual model name',
      { [copilot]: agentText(`${good}\nmodel: frobnicator`) },
      [`${copilot}:4 info model-unknown`],
    ],
    [
      'several models in one text',
      { [copilot]: agentText(`${good}\nmodel: GPT-4.1 | 'gpt-5'`) },
      [`${copilot}:4 warning model-unclear`],
    ],
    [
      'an unknown tool',
      { [copilot]: agentText(`${good}\ntools:\n  - read\n  - edti`) },
      [`${copilot}:6 warning tool-unknown`],
    ],
    [
      'a tool that is denied and unknown',
      { [claude]: agentText(`${good}\ndisallowedTools: [Bash, Frobnicate]`) },
      [`${claude}:4 error tool-unknown`],
    ],
    [
      'a tool of an editor',
      { [copilot]: agentText(`${good}\ntools: [read, vscodeAPI]`) },
      [`${copilot}:4 info tool-elsewhere`],
    ],
    [
      'tools of servers',
      { [copilot]: agentText(`${good}\ntools: [context7/*, mcp__x__y]`) },
      [`${copilot}:4 info tool-of-server`],
    ],
    [
      'agents without a tool for it',
      { [copilot]: agentText(`${good}\ntools: [read]\nagents: [worker]`), ...withWorker },
      [`${copilot}:5 warning agents-without-tool`],
    ],
    [
      'agents with one',
      { [copilot]: agentText(`${good}\ntools: [read, agent]\nagents: [worker]`), ...withWorker },
      [],
    ],
    ['no agents', { [copilot]: agentText(`${good}\ntools: [read]\nagents: []`) }, []],
    [
      'handoffs',
      {
        [copilot]: agentText(
          `${good}\nhandoffs:\n  - label: Go\n    agent: worker\n  - label: Again\n    agent: a\n    prompt: go on`,
        ),
        ...withWorker,
      },
      [`${copilot}:5 warning handoff-without-prompt`, `${copilot}:7 info handoff-to-self`],
    ],
    [
      'handoffs after an invalid one',
      {
        [copilot]: agentText(
          `${good}\nhandoffs:\n  - label: Go\n  - agent: nobody\n    prompt: go\n  - agent: a`,
        ),
      },
      [
        `${copilot}:5 warning handoff-unclear`,
        `${copilot}:6 warning agent-missing`,
        `${copilot}:8 info handoff-to-self`,
        `${copilot}:8 warning handoff-without-prompt`,
      ],
    ],
    [
      'hooks of no host',
      { [claude]: agentText(`${good}\nhooks:\n  pre: echo`) },
      [`${claude}:5 warning hooks-never-run`],
    ],
    ['hooks of a host', { [claude]: agentText(`${good}\nhooks:\n  PreToolUse: []`) }, []],
    [
      'too many rounds',
      { [claude]: agentText(`${good}\nmaxTurns: 100000`) },
      [`${claude}:4 warning limit-out-of-range`],
    ],
    [
      'a temperature',
      { '.opencode/agent/a.md': agentText('description: d\nmode: subagent\ntemperature: 7') },
      ['.opencode/agent/a.md:4 warning limit-out-of-range'],
    ],
    [
      'a key',
      {
        [copilot]: agentText(
          `${good}\nmcp-servers:\n  x:\n    command: npx\n    env:\n      API_TOKEN: abcdef0123456789abcd`,
        ),
      },
      [`${copilot}:8 warning secret-in-header`],
    ],
    [
      'a variable for a key',
      {
        [copilot]: agentText(
          `${good}\nmcp-servers:\n  x:\n    command: npx\n    env:\n      API_TOKEN: \${TOKEN_1234567890}\n      OTHER_KEY: <your-key-here-123>`,
        ),
      },
      [],
    ],
    [
      'a well-known key anywhere',
      { [claude]: agentText(`${good}\nnote: use ghp_0123456789abcdefghijABCDEFGHIJ012345 for it`) },
      [`${claude}:4 warning secret-in-header`],
    ],
    [
      'a word that only looks like a key',
      { [claude]: agentText('name: a\ndescription: task-decomposition-expert-1') },
      [],
    ],
  ])('%s', async (_, files, expected) => {
    expect((await lint(files)).said).toEqual(expected)
  })

  test.each<[string, string, string[]]>([
    ['an unknown tool, in many places', 'tools: [Frob, Read, frob, Frob]', ['4 warning tool-unknown']],
    ['tools of another program', 'tools: [Read, frob_a, frob_b, frob_c]', ['4 warning tool-unknown']],
    [
      'a misspelt tool next to one of another program',
      'tools: [Reed, frob_a, frob_b]',
      ['4 warning tool-unknown', '4 warning tool-unknown'],
    ],
    [
      'an unknown tool, granted and denied',
      'tools: [Frob, Read]\ndisallowedTools: [frob]',
      ['4 error tool-unknown'],
    ],
    [
      'a misspelt denied tool in many places',
      'disallowedTools: [Wrte, Wrte]\npermission:\n  Wrte: deny',
      ['4 error denial-unknown'],
    ],
    ['a list that is not closed', 'tools: [Read\nmodel: sonnet', ['4 warning value-unreadable']],
    ['no list at all', 'tools: true', ['4 warning tools-unclear']],
    ['an invalid limit', 'maxTurns: 0', ['4 error wrong-value']],
    ['an invalid flag', 'user-invocable: maybe\ndisable-model-invocation: true', ['4 warning flag-unclear']],
    [
      'agents without a tool to start them',
      'tools: [Read]\nagents: [nobody, none]',
      ['5 warning agents-without-tool'],
    ],
    [
      'an agent that is missing in two places',
      'agents: [nobody, nobody]\nhandoffs:\n  - {label: x, agent: nobody, prompt: go}',
      ['4 warning agent-missing'],
    ],
  ])('one finding per cause: %s', async (_, keys, expected) => {
    const { said } = await lint({ [claude]: agentText(`${good}\n${keys}`) })
    expect(said).toEqual(expected.map((one) => `${claude}:${one}`))
  })

  test.each([
    ['a header that is not YAML', '---\n[[[\n---\nx\n', `${claude}:2 error yaml-bad-indent`],
    [
      'a file that ends within its header',
      '---\nname: a\ndescription: d\n',
      `${claude}:4 warning header-torn`,
    ],
  ])('one finding per cause: %s', async (_, text, expected) => {
    expect((await lint({ [claude]: text })).said).toEqual([expected])
  })

  it('never prints a value that looks like a key', async () => {
    const secret = 'abcdef0123456789abcd'
    const result = await lint({
      [copilot]: agentText(
        `${good}\nmcp-servers:\n  x:\n    url: https://x\n    headers:\n      Authorization: Bearer ${secret}`,
      ),
    })
    expect(result.said).toEqual([`${copilot}:8 warning secret-in-header`])
    expect(JSON.stringify(result)).not.toContain(secret)
  })

  it('suggests the intended name', async () => {
    const { messages } = await lint({ [copilot]: agentText(`${good}\ntools: [edti]`) })
    expect(messages[0]).toContain('Did you mean edit')
    const twice = { tools: ['my_search', 'my_search', 'read_file'] }
    const { messages: near } = await lint({ [copilot]: agentText(`${good}\ntools: [my_serch]`) }, twice)
    expect(near[0]?.match(/my_search/g)).toHaveLength(1)
  })

  it('uses tools and models of the configuration', async () => {
    const files = { [copilot]: agentText(`${good}\ntools: [my_tool, read_file, write_file]\nmodel: small`) }
    const knowledge: LintKnowledge = {
      tools: ['my_tool', 'read_file'],
      model: async (name) => (name === 'small' ? { kind: 'known' } : { kind: 'unknown', nearest: [] }),
    }
    expect((await lint(files, knowledge)).said).toEqual([`${copilot}:4 info tool-not-here`])
    const forbidding = { [claude]: agentText(`${good}\ntools: read_file\ndisallowedTools: write_file`) }
    expect((await lint(forbidding, knowledge)).said).toEqual([])
    const near = await lint(files, { model: async () => ({ kind: 'unknown', nearest: ['openai:smal'] }) })
    expect(near.said).toContain(`${copilot}:5 warning model-unknown`)
    expect(near.messages.join()).toContain('Similar names: openai:smal.')
    expect((await lint(files, { model: async () => ({ kind: 'untold' }) })).said).toContain(
      `${copilot}:5 info model-unknown`,
    )
  })

  it('a file that is too large, or not text', async () => {
    const large = await lint({ [copilot]: agentText(good, 'x'.repeat(1_000_001)) })
    expect(large.said).toEqual([`${copilot}:1 error file-too-large`])
    const bytes = Buffer.concat([Buffer.from(agentText(good)), Buffer.from([0xff, 0xfe])])
    expect((await lint({ [copilot]: bytes })).said).toEqual([`${copilot}:6 warning not-utf-8`])
  })
})

describe('agents together', () => {
  const lead = (keys: string) => ({
    '.github/agents/lead.agent.md': agentText(`name: lead\ndescription: Leads\n${keys}`),
  })
  const at = '.github/agents/lead.agent.md'

  it('unknown names', async () => {
    const files = {
      ...withWorker,
      ...lead('agents: [wroker, worker]\nhandoffs:\n  - label: x\n    agent: nobody\n    prompt: p'),
    }
    const { said, messages } = await lint(files)
    expect(said).toEqual([`${at}:4 warning agent-missing`, `${at}:6 warning agent-missing`])
    expect(messages[0]).toContain('Did you mean worker')
  })

  it('names in Agent(…)', async () => {
    const files = {
      '.claude/agents/lead.md': agentText('name: lead\ndescription: d\ntools: Agent(worker, nobody), Read'),
    }
    const { said, messages } = await lint({ ...files, ...withWorker })
    expect(said).toEqual(['.claude/agents/lead.md:4 warning agent-missing'])
    expect(messages[0]).toContain('tools names "nobody"')
  })

  it('a file instead of a name, an agent of a host, agents from elsewhere', async () => {
    const files = {
      '.github/agents/rev.agent.md': agentText('name: Reviewer\ndescription: d'),
      ...lead('agents: [rev, Plan, mine]'),
    }
    const mine = { name: 'mine', description: '', prompt: '', tools: { kind: 'all' } } as const
    const { said, messages } = await lint(files, { agents: [mine] })
    expect(said).toEqual([`${at}:4 warning agent-missing`, `${at}:4 info agent-of-host`])
    expect(messages[0]).toContain('is named "Reviewer"')
  })

  it('an agent that nothing can start', async () => {
    const hidden = {
      '.github/agents/h.agent.md': agentText(
        'name: h\ndescription: d\nuser-invocable: false\ndisable-model-invocation: true',
      ),
    }
    const warning = '.github/agents/h.agent.md:4 warning unreachable'
    expect((await lint(hidden)).said).toEqual([warning])
    expect((await lint({ ...hidden, ...lead('tools: [read]\nagents: [h]') })).said).toContain(warning)
    expect((await lint({ ...hidden, ...lead('tools: [read, agent]') })).said).toEqual([warning])
    expect((await lint({ ...hidden, ...lead('tools: [read, agent]\nagents: [h]') })).said).toEqual([])
    const open = { '.github/agents/h.agent.md': agentText('name: h\ndescription: d\nuser-invocable: false') }
    expect((await lint({ ...open, ...lead('') })).said).toEqual([])
    // The host's own agent may start it.
    expect((await lint(open)).said).toEqual([])
  })

  it('a cycle is reported once', async () => {
    const team = Object.fromEntries(
      ['a', 'b', 'c'].map((name, index) => [
        `.github/agents/${name}.agent.md`,
        agentText(`name: ${name}\ndescription: d\nagents: [${['b', 'c', 'a'][index]}, ${name}]`),
      ]),
    )
    const { said, messages } = await lint(team)
    expect(said).toEqual(['.github/agents/a.agent.md:4 warning delegation-cycle'])
    expect(messages[0]).toContain('a → b → c → a')
  })

  it('the same name twice: by level, by depth, or not at all', async () => {
    const one = agentText('name: x\ndescription: d\ntools: [read]')
    const more = agentText('name: x\ndescription: d\ntools: [read, edit]')
    expect((await lint({ '.claude/agents/x.md': one, '.github/agents/x.agent.md': more })).said).toEqual([
      '.claude/agents/x.md:2 warning shadowed',
    ])
    expect((await lint({ '.claude/agents/x.md': one, '.github/agents/x.agent.md': one })).said).toEqual([
      '.claude/agents/x.md:2 info shadowed',
    ])
    expect((await lint({ '.github/agents/x.agent.md': one, '.github/agents/y.agent.md': one })).said).toEqual(
      ['.github/agents/y.agent.md:2 error name-twice'],
    )
    expect(
      (await lint({ '.github/agents/x.agent.md': one, '.github/agents/d/x.agent.md': more })).said,
    ).toEqual(['.github/agents/x.agent.md:2 warning shadowed'])
    expect((await lint({ 'agents/x.md': one, 'more/agents/x.md': more })).said).toEqual([])
    const collections = { 'agents/a/x.agent.md': one, 'agents/b/x.agent.md': more }
    expect((await lint(collections)).said).toEqual([])
    expect((await lint({ 'a/x.agent.md': one, 'a/y.agent.md': one })).said).toEqual([
      'a/y.agent.md:2 warning name-twice',
    ])
  })

  it('neighbouring projects are independent', async () => {
    const folder = createFolder({
      'one/.github/agents/worker.agent.md': worker,
      'two/.github/agents/worker.agent.md': worker,
      'two/.github/agents/lead.agent.md': agentText('name: lead\ndescription: d\nagents: [worker, third]'),
      'three/agents/third.md': agentText('name: third\ndescription: d'),
    })
    const { files } = await lintFolder(folder.path, { cwd: folder.path })
    const said = files.flatMap(({ path, diagnostics }) => diagnostics.map(({ code }) => `${path} ${code}`))
    expect(said).toEqual(['two/.github/agents/lead.agent.md agent-missing'])
  })
})

describe('a part of a project', () => {
  const files = {
    '.claude/agents/worker.md': worker,
    '.github/agents/lead.agent.md': agentText('name: lead\ndescription: d\nagents: [worker, other, nobody]'),
    '.github/agents/other.agent.md': agentText('name: other\ndescription: d'),
  }
  const codes = (result: Awaited<ReturnType<typeof lintFiles>>) =>
    result.files.map(({ path, diagnostics }) => [path, ...diagnostics.map(({ message }) => message)])
  const expected = [['.github/agents/lead.agent.md', 'agents names "nobody", but there is no such agent.']]

  it('a single file is checked with the agents around it', async () => {
    const folder = createFolder(files)
    const result = await lintFiles([folder.at('.github/agents/lead.agent.md')], { cwd: folder.path })
    expect(codes(result)).toEqual(expected)
  })

  it('and so is a folder', async () => {
    const folder = createFolder(files)
    const result = await lintFolder(folder.at('.github/agents'), { cwd: folder.path })
    expect(codes(result)).toEqual([...expected, ['.github/agents/other.agent.md']])
  })

  it('even where no program looks for agents', async () => {
    const folder = createFolder({
      'team/lead.md': agentText('name: lead\ndescription: d\nagents: [worker, page]\nmodel: sonnet'),
      'team/worker.md': agentText('name: worker\ndescription: d\nmodel: sonnet'),
      'team/page.md': agentText('name: page\ntitle: A page'),
    })
    const result = await lintFiles([folder.at('team/lead.md')], { cwd: folder.path })
    expect(codes(result)).toEqual([['team/lead.md', 'agents names "page", but there is no such agent.']])
  })

  it('a single file may have any name', async () => {
    const folder = createFolder({
      'notes.txt.md': agentText('description: d'),
      'SKILL.md': agentText('description: d'),
    })
    const result = await lintFiles([folder.at('SKILL.md')], { cwd: folder.path })
    expect(result.summary).toMatchObject({ files: 1, ok: 1 })
  })
})

it('an agent of opencode can always be started', async () => {
  const files = {
    '.opencode/agent/main.md': agentText('description: d\nmode: primary\nhidden: true'),
    '.opencode/agent/helper.md': agentText(
      'description: d\nmode: subagent\nhidden: true\npermission:\n  task: deny',
    ),
    '.opencode/agent/only.md': agentText('description: d\nhidden: true\ntools:\n  task: false'),
  }
  expect((await lint(files)).said).toEqual([])
})

describe('agents of a plugin', () => {
  const plugin = { 'kit/.claude-plugin/plugin.json': '{"name": "kit"}' }

  it('need no header: the file and the plugin name and describe them', async () => {
    const { files, said, messages } = await lint({ ...plugin, 'kit/agents/helper.md': 'You help.\n' })
    expect(said).toEqual(['kit/agents/helper.md:1 warning header-missing'])
    expect(messages[0]).toContain('kit:helper, with the description "Agent from kit plugin" and every tool')
    expect(files).toMatchObject([{ status: 'ok', agent: 'helper' }])
    expect(files[0]?.hosts?.claude).toEqual([
      { key: 'header', effect: 'ignored', note: expect.stringContaining('every tool') },
    ])
  })

  it('need neither name nor description in a header', async () => {
    const { files, said } = await lint({ ...plugin, 'kit/agents/helper.md': agentText('tools: Read') })
    expect(said).toEqual(['kit/agents/helper.md:2 warning description-missing'])
    expect(files[0]?.hosts?.claude).toEqual([])
    expect(files[0]?.hosts?.['copilot-cli']).toContainEqual(expect.objectContaining({ key: 'description' }))
  })

  it('need one elsewhere', async () => {
    const { said } = await lint({ '.claude/agents/helper.md': 'You help.\n' })
    expect(said).toEqual(['.claude/agents/helper.md:1 error header-missing'])
  })
})

it('settings define several agents in one file', async () => {
  const agents = [
    {
      name: 'lead',
      description: 'Leads',
      systemPrompt: 'Lead.',
      toolPermissions: { type: 'all' },
      delegationPermissions: { type: 'all' },
    },
    {
      name: 'worker',
      description: 'Works',
      systemPrompt: 'Work.',
      toolPermissions: { type: 'specific', tools: ['nothing_like_it'] },
      delegationPermissions: { type: 'none' },
    },
  ]
  const settings = { 'copilotMultiAgent.agents': agents, 'copilotMultiAgent.entryAgent': 'lead' }
  const { files, said } = await lint({ '.vscode/settings.json': JSON.stringify(settings, null, 2) })
  expect(files).toMatchObject([
    { path: '.vscode/settings.json', dialect: 'settings', status: 'ok', agents: ['lead', 'worker'] },
  ])
  expect(said.some((line) => line.endsWith('warning tool-unknown'))).toBe(true)
  const folder = createFolder({ 'x.code-workspace': JSON.stringify({ folders: [], settings }) })
  const workspace = await lintFiles([folder.at('x.code-workspace')], { cwd: folder.path })
  expect(workspace.files).toMatchObject([{ dialect: 'settings', agents: ['lead', 'worker'] }])
})

it('reports a link that points outside, and does not read its target', async () => {
  const folder = createFolder({ 'secret.txt': 'name: topsecret\n', 'p/k.agent.md': agentText(good) })
  symlinkSync(folder.at('secret.txt'), folder.at('p/out.agent.md'))
  const result = await lintFolder(folder.at('p'), { cwd: folder.path })
  expect(result.files.map(({ path, status }) => [path, status])).toEqual([
    ['p/k.agent.md', 'ok'],
    ['p/out.agent.md', 'failed'],
  ])
  expect(JSON.stringify(result)).not.toContain('topsecret')
})

it('omits a file for people, unless it is named', async () => {
  const folder = createFolder({ '.claude/agents/README.md': '# Our agents\n', [claude]: agentText(good) })
  const { files } = await lintFolder(folder.path, { cwd: folder.path })
  expect(files.map(({ path }) => path)).toEqual([claude])
  const named = await lintFiles([folder.at('.claude/agents/README.md')], { cwd: folder.path })
  expect(named.files).toMatchObject([{ status: 'failed', diagnostics: [{ code: 'file-for-people' }] }])
})

it('counts its findings', async () => {
  const { summary } = await lint({
    [copilot]: agentText(`${good}\nmodel: [a b c, gpt-5]`),
    '.claude/agents/b.md': 'text',
  })
  expect(summary).toEqual({
    files: 2,
    ok: 1,
    rescued: 0,
    failed: 1,
    errors: 1,
    warnings: 1,
    infos: 1,
  })
})

describe('for an editor', () => {
  const lead = agentText('name: lead\ndescription: Leads\ntools: [agent]\nagents: [worker]')
  const codes = async (files: readonly string[], options: Parameters<typeof lintFiles>[1]) =>
    (await lintFiles(files, options)).files.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code))

  it('reads unsaved text of the file and its neighbours', async () => {
    const folder = createFolder({ '.github/agents/lead.agent.md': lead, ...withWorker })
    mkdirSync(folder.at('.git'))
    const file = folder.at('.github/agents/lead.agent.md')
    const worker = folder.at('.github/agents/worker.agent.md')
    const options = { cwd: folder.path }
    expect(await codes([file], options)).toEqual([])
    const renamed = new Map([[worker, agentText('name: other\ndescription: Works')]])
    expect(await codes([file], { ...options, texts: renamed })).toEqual(['agent-missing'])
    const changed = new Map([[file, lead.replace('[worker]', '[nobody]')]])
    expect(await codes([file], { ...options, texts: changed })).toEqual(['agent-missing'])
  })

  it('finds the other agents in the project in the given files', async () => {
    const folder = createFolder({ '.github/agents/lead.agent.md': lead, ...withWorker })
    mkdirSync(folder.at('.git'))
    const [file, worker] = ['lead', 'worker'].map((name) => folder.at(`.github/agents/${name}.agent.md`))
    const options = { cwd: folder.path }
    expect(await codes([file as string], { ...options, among: [file as string] })).toEqual(['agent-missing'])
    expect(await codes([file as string], { ...options, among: [file as string, worker as string] })).toEqual(
      [],
    )
  })
})
