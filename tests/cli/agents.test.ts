import { describe, expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { agentFile, createProject, delegate, type Project, report } from './support/project.ts'

const test = sampled(3)

const agent = (keys: string, body = 'Do it.') => `---\n${keys}\n---\n${body}\n`
const lead = '.github/agents/lead.agent.md'

describe('agents list', () => {
  const files = {
    [lead]: agent('name: lead\ndescription: |\n  Leads\n  the team\nmodel: [gpt-5, o3]'),
    '.claude/agents/lead.md': agent('name: lead\ndescription: Another'),
    '.claude/agents/broken.md': agent('name: broken\ndescription: d\nmaxTurns: many'),
    '.opencode/agent/off.md': agent('description: d\ndisable: true'),
    ...agentFile('planner'),
  }

  test('prints a table, and below it the files without a valid agent', async () => {
    const { code, stdout } = await createProject(files).cadre(['agents', 'list'])
    expect(stdout).toMatch(/^AGENT +FROM +SOURCE +MODEL +SHADOWS +DESCRIPTION$/m)
    expect(stdout).toMatch(
      /^lead \* +copilot +\.github\/agents\/lead\.agent\.md +gpt-5 +\.claude\/agents\/lead\.md +Leads the team$/m,
    )
    expect(stdout).toMatch(/^planner +template +\.cadre\/templates\/planner\.agent\.yaml/m)
    expect(stdout).toContain('Files without a valid agent:\n')
    expect(stdout).toMatch(/^ {2}\.claude\/agents\/broken\.md:4: maxTurns must be/m)
    expect(code).toBe(0)
  })

  test('"agents" and "sessions" alone list them, with the flags of the list; a mistyped command is reported', async () => {
    const project = createProject(files)
    const [bare, listed] = [await project.cadre(['agents']), await project.cadre(['agents', 'list'])]
    expect(bare).toMatchObject({ code: 0, stdout: listed.stdout })
    expect((await project.cadre(['agents', '--json'])).json()[0]).toEqual(
      (await project.cadre(['agents', 'list', '--json'])).json()[0],
    )
    expect((await project.cadre(['sessions'])).stdout).toMatch(/^No sessions in /)
    expect((await project.cadre(['agents', '--help'])).stdout).toContain(
      'Without a command, lists the agents.',
    )
    expect(await project.cadre(['agents', 'lst'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('lst'),
    })
  })

  test('lists the built-in agents that can be started, except those that a file replaces', async () => {
    const { stdout } = await createProject(files).cadre(['agents', 'list'])
    expect(stdout).toMatch(/Built-in agents; run one with --agent NAME:\n {2}assistant\n/)
    expect(stdout).toMatch(/^ {2}planner-001, .*executor-001.* \(team operators\)$/m)
    expect(stdout).not.toMatch(/^ {2}.*\blead\b.*\(team/m)
    const empty = await createProject().cadre(['agents', 'list', '--json'])
    const list = JSON.parse(empty.stdout) as Record<string, unknown>[]
    expect(list.find(({ name }) => name === 'planner-001')).toMatchObject({
      dialect: 'built-in',
      team: 'operators',
    })
  })

  test('prints JSON with --json', async () => {
    const project = createProject(files)
    const { code, stdout, stderr } = await project.cadre(['agents', 'list', '--json'])
    const list = JSON.parse(stdout) as Record<string, unknown>[]
    expect(list.find(({ name }) => name === 'lead')).toEqual({
      name: 'lead',
      source: project.at(lead),
      dialect: 'copilot',
      shadows: [project.at('.claude/agents/lead.md')],
      description: 'Leads\nthe team',
      models: ['gpt-5', 'o3'],
      userInvocable: true,
      modelInvocable: true,
      status: 'ok',
      entry: true,
    })
    expect(stderr).toMatch(/broken\.md:4: maxTurns/)
    expect(code).toBe(0)
  })
})

describe('agents show', () => {
  const keys = [
    'name: lead',
    'description: Leads',
    'tools: [Read, edit, agent, edti, context7/*, vscodeAPI]',
    'disallowedTools: [write_file]',
    'agents: [worker, nobody]',
    'model: small',
    'user-invocable: true',
    'maxTurns: 7',
    'handoffs:',
    '  - label: Go',
    '    agent: worker',
    '    prompt: go',
    '  - label: Lost',
    '    agent: gone',
    '    prompt: go',
    'x-own: 1',
  ].join('\n')
  const files = {
    [lead]: agent(keys),
    '.github/agents/worker.agent.md': agent('name: worker\ndescription: Works\nuser-invocable: false'),
    '.github/agents/other.agent.md': agent('name: other\ndescription: d'),
    '.cadre/config.yaml': 'limits:\n  depth: 2\nmodel: scripted:p.yaml\n',
    '.cadre/p.yaml': { models: { small: {} }, lanes: { '*': [{ reply: 'x' }] } },
  }

  test('shows what it may do, and the source of each part', async () => {
    const project = createProject(files)
    const { code, stdout } = await project.cadre(['agents', 'show', 'lead', '--json'])
    expect(code).toBe(0)
    const view = JSON.parse(stdout)
    const at = (line: number) => `${lead}:${line}`
    const tools = Object.fromEntries(view.tools.map((tool: { name: string }) => [tool.name, tool]))
    expect(Object.values(tools)).toContainEqual(
      expect.objectContaining({ class: 'read', effect: 'read', named: ['Read'], from: at(4) }),
    )
    expect(tools['edit_file']).toMatchObject({ class: 'edit', effect: 'write', named: ['edit'], from: at(4) })
    expect(tools).not.toHaveProperty('write_file')
    expect(view.disallowed).toEqual([{ name: 'write_file', by: 'write_file', from: at(5) }])
    expect(view.unavailable).toEqual([
      { name: 'edti', reason: 'unknown', from: at(4) },
      { name: 'context7/*', reason: 'server', from: at(4) },
      { name: 'vscodeAPI', reason: 'elsewhere', from: at(4) },
    ])
    expect(view.targets).toEqual({
      entry: ['worker'],
      delegated: ['worker'],
      refused: [
        { name: 'nobody', reason: 'no agent has this name' },
        { name: 'other', reason: "not in the agent's list of agents" },
      ],
      from: at(6),
    })
    expect(view.model).toEqual({
      preferences: ['small'],
      used: expect.stringMatching(/^scripted:.*#small$/),
      from: at(7),
    })
    expect(view.limits).toContainEqual({
      name: 'maxTurns',
      value: 7,
      unit: 'rounds per session',
      from: at(9),
    })
    expect(view.limits).toContainEqual({
      name: 'timeout',
      value: 300,
      unit: 'seconds per delegation',
      from: 'default',
    })
    expect(view.limits).toContainEqual({
      name: 'depth',
      value: 2,
      unit: 'per run',
      from: 'limits.depth in the configuration',
    })
    expect(view.userInvocable).toEqual({ value: true, from: at(8) })
    expect(view.modelInvocable).toEqual({ value: true, from: 'default' })
    expect(view.handoffs).toEqual([
      { label: 'Go', agent: 'worker', send: false, exists: true, from: at(11) },
      { label: 'Lost', agent: 'gone', send: false, exists: false, from: at(14) },
    ])
    expect(view.unknown).toEqual([{ value: 'x-own', from: at(17) }])
    expect(view.source).toEqual({ path: project.at(lead), dialect: 'copilot', line: 2 })
  })

  test('shows the same for people', async () => {
    const { stdout } = await createProject(files).cadre(['agents', 'show', 'LEAD'])
    expect(stdout).toMatch(/^ {2}edit_file +edit +write +edit +\.github\/agents\/lead\.agent\.md:4$/m)
    expect(stdout).toMatch(/^ {2}edti +unknown tool/m)
    expect(stdout).toMatch(/^ {2}TOOL +CLASS +EFFECT +BY +WHERE$/m)
    expect(stdout).toMatch(/^can delegate to +worker \(\.github\/agents\/lead\.agent\.md:6\)$/m)
    expect(stdout).toMatch(/^ {2}other +not in the agent's list of agents$/m)
    expect(stdout).toMatch(/^ {2}nobody +no agent has this name$/m)
    expect(stdout).toMatch(/^ {2}maxTurns +7 rounds per session +\.github\/agents\/lead\.agent\.md:9$/m)
    expect(stdout).toMatch(/^ {2}Lost +→ gone +no such agent/m)
  })

  test('an agent without a delegation tool cannot start others', async () => {
    const project = createProject({
      ...files,
      [lead]: agent('name: lead\ndescription: d\ntools: [read]\nagents: [worker]'),
    })
    const view = JSON.parse((await project.cadre(['agents', 'show', 'lead', '--json'])).stdout)
    expect(view.targets).toMatchObject({
      entry: [],
      delegated: [],
      refused: [
        { name: 'worker', reason: 'the agent has no tool to delegate with' },
        { name: 'other', reason: "not in the agent's list of agents" },
      ],
    })
  })

  const shown = async (project: Project, name: string, ...flags: string[]) =>
    JSON.parse((await project.cadre(['agents', 'show', name, '--json', ...flags])).stdout)

  test('a model that a person names takes precedence over the agent’s, as in a run', async () => {
    const project = createProject(files)
    const flags = ['--model', 'scripted:.cadre/p.yaml']
    const view = await shown(project, 'lead', ...flags)
    const events = (await project.cadre(['run', '--json', '--agent', 'lead', ...flags, 'Go'])).json()
    const started = events.find(({ type }) => type === 'session.started')
    expect(view.model).toMatchObject({ used: started?.['model'], from: '--model' })
    // A user cannot name one for a delegated session.
    project.write(
      '.github/agents/worker.agent.md',
      agent(`name: worker\ndescription: d\nmodel: small\nuser-invocable: false`),
    )
    expect((await shown(project, 'worker', ...flags)).model.used).toMatch(/#small$/)
  })

  test('a person can start it even if subagents are disabled', async () => {
    const project = createProject({ ...files, '.cadre/config.yaml': 'enableSubagent: false\n' })
    expect(await shown(project, 'lead')).not.toHaveProperty('refused')
    expect((await shown(project, 'worker')).refused).toContain(
      'delegation is disabled: subagent.enabled is false',
    )
  })

  test('shows why it cannot start the others', async () => {
    const project = createProject({
      '.github/agents/lead.agent.md': agent('name: lead\ndescription: d\ntools: [agent, reportOut]'),
      '.github/agents/alone.agent.md': agent('name: alone\ndescription: d\ndisable-model-invocation: true'),
      '.github/agents/CVE_Remediator.agent.md': agent('name: CVE_Remediator\ndescription: d'),
      '.cadre/storage/policy.yaml': 'cveRemediatorAgent.enabled: false\n',
    })
    const { targets, unavailable } = await shown(project, 'lead')
    expect(targets.refused).toEqual([
      {
        name: 'CVE_Remediator',
        reason: expect.stringMatching(
          /is disabled: cveRemediatorAgent\.enabled is false \(.*policy\.yaml:1\)/,
        ),
      },
      { name: 'alone', reason: 'other agents may not delegate to it' },
    ])
    expect(unavailable).toContainEqual(expect.objectContaining({ name: 'reportOut', reason: 'delegated' }))
    expect((await project.cadre(['agents', 'show', 'lead'])).stdout).toMatch(
      /^ {2}reportOut +only as a delegate/m,
    )
  })

  test('shows the findings of each agent in settings', async () => {
    const one = (name: string, more: object) => ({
      name,
      systemPrompt: 'You do what is asked, with care and in small steps, and say what you did.',
      description: 'Does things',
      useFor: 'things',
      delegationPermissions: { type: 'none' },
      toolPermissions: { type: 'none' },
      ...more,
    })
    const agents = [
      one('first', {}),
      one('second', { toolPermissions: 'many' }),
      one('third', { systemPrompt: 3 }),
    ]
    const project = createProject({
      '.vscode/settings.json': JSON.stringify(
        { copilotMultiAgent: { version: 1, entryAgent: 'first', agents } },
        null,
        2,
      ),
    })
    expect((await shown(project, 'first')).diagnostics.join('\n')).not.toMatch(/agents\[[12]\]/)
    expect((await shown(project, 'second')).diagnostics).toEqual([
      expect.stringContaining('configuration.agents[1].toolPermissions'),
    ])
    const { stdout } = await project.cadre(['agents', 'list'])
    expect(stdout).toMatch(
      /Files without a valid agent:\n {2}\S+settings\.json:\d+: configuration\.agents\[2\]/,
    )
    const { files: linted } = JSON.parse((await project.cadre(['lint', '--json'])).stdout)
    expect(linted).toMatchObject([{ status: 'rescued', agents: ['first', 'second'] }])
    const doctor = await project.cadre(['doctor'])
    expect(doctor.stdout).toContain('2 agents in 1 file: first, second')
  })

  test('shows what a run enforces', async () => {
    const calls = [
      { tool: 'write_file', input: { path: 'x.txt', content: 'x' } },
      { tool: 'create_directory', input: { path: 'folder' } },
      { tool: 'list_directory', input: { path: '.' } },
      delegate('other'),
      delegate('worker'),
    ]
    const project = createProject({
      ...files,
      '.cadre/p.yaml': {
        models: { small: {} },
        lanes: { lead: [{ calls }, { reply: 'done' }], worker: [report('I did.')] },
      },
    })
    const shown = JSON.parse((await project.cadre(['agents', 'show', 'lead', '--json'])).stdout)
    const ended = await project.cadre(['run', '--agent', 'lead', '--allow', 'write', '--json', 'Go'])
    const events = ended.json()
    const started = events.find(({ type, agent: name }) => type === 'session.started' && name === 'lead')
    expect(started?.['model']).toBe(shown.model.used)
    const settled = events.filter(
      ({ type, session }) => type === 'call.settled' && session === started?.['session'],
    )
    const names = new Set(shown.tools.map(({ name }: { name: string }) => name))
    const allowed = [
      ...calls.slice(0, 3).map((call) => names.has((call as { tool: string }).tool)),
      ...['other', 'worker'].map((name) => shown.targets.entry.includes(name)),
    ]
    expect(allowed).toEqual([false, true, false, false, true])
    expect(settled.map(({ outcome }) => outcome).sort()).toEqual(
      allowed.map((is) => (is ? 'done' : 'refused')).sort(),
    )
  })

  test('reports an unknown model, an unknown agent, and a broken file', async () => {
    const project = createProject({
      ...files,
      [lead]: agent('name: lead\ndescription: d\nmodel: nothing-like-it'),
      '.claude/agents/broken.md': agent('name: broken\ndescription: d\nmaxTurns: many'),
    })
    const view = JSON.parse((await project.cadre(['agents', 'show', 'lead', '--json'])).stdout)
    expect(view.model).toMatchObject({
      used: expect.stringContaining('scripted:'),
      insteadOf: 'nothing-like-it',
      from: `${lead}:4`,
    })
    const builtIn = await project.cadre(['agents', 'show', 'assistant'])
    expect(builtIn.stdout).toMatch(/^assistant built-in\n/)
    const none = await project.cadre(['agents', 'show', 'laed'])
    expect(none.stderr).toContain('there is no agent "laed". Did you mean lead?')
    expect(none.code).toBe(2)
    const broken = await project.cadre(['agents', 'show', 'broken'])
    expect(broken.stderr).toMatch(/broken\.md:4: maxTurns must be/)
    expect(broken.code).toBe(2)
  })

  test('shows what its own rules and other keys deny', async () => {
    const keys =
      'name: lead\ndescription: d\npermission:\n  bash:\n    "git *": ask\n  edit: deny\nreadonly: true'
    const project = createProject({ '.opencode/agent/lead.md': agent(keys) })
    const view = JSON.parse((await project.cadre(['agents', 'show', 'lead', '--json'])).stdout)
    const at = (line: number) => `.opencode/agent/lead.md:${line}`
    expect(view.disallowed).toContainEqual({ name: 'edit_file', by: 'edit', from: at(8) })
    expect(
      view.permissions.map(({ tool, pattern, action, from }: Record<string, string>) => [
        tool,
        pattern,
        action,
        from,
      ]),
    ).toEqual([
      ['bash', 'git *', 'ask', at(5)],
      ['edit', '*', 'deny', at(7)],
    ])
  })

  test('shows which agents its own rules forbid it to start', async () => {
    const opencode = (name: string, more = '') => ({
      [`.opencode/agent/${name}.md`]: agent(`description: d\nmode: all${more}`),
    })
    const rules = '\npermission:\n  task:\n    "*": deny\n    "review-*": allow\n    review-all: deny'
    const project = createProject({
      ...opencode('lead', rules),
      ...opencode('nobody', '\npermission:\n  task: deny'),
      ...opencode('review-one'),
      ...opencode('review-all'),
    })
    const reason = "the permission rules in the agent's file deny it"
    expect((await shown(project, 'lead')).targets).toMatchObject({
      entry: ['review-one'],
      refused: [
        { name: 'nobody', reason },
        { name: 'review-all', reason },
      ],
    })
    expect((await shown(project, 'nobody')).targets.entry).toEqual([])
  })

  test('shows what a policy denies, and where', async () => {
    const policy = '.cadre/storage/policy.yaml'
    const project = createProject({
      ...files,
      [policy]: 'limits:\n  maxTurns: 3\nmodels:\n  allow: [other-*]\nsubagent.enabled: false\n',
    })
    const { stdout } = await project.cadre(['agents', 'show', 'lead', '--json'])
    const view = JSON.parse(stdout)
    expect(view.limits).toContainEqual({
      name: 'maxTurns',
      value: 3,
      unit: 'rounds per session',
      from: `${project.at(policy)}:2`,
    })
    expect(view.targets).toMatchObject({ entry: [], delegated: [] })
    expect(view.targets.refused).toContainEqual({
      name: 'worker',
      reason: `delegation is disabled (${project.at(policy)}:5)`,
    })
    expect(view.tools.filter((tool: { class: string }) => tool.class === 'agent')).toEqual([])
    expect(view.model.problem).toContain(`${project.at(policy)}:4`)
    project.write(policy, 'customAgent.enabled: false\n')
    const list = await project.cadre(['agents', 'list'])
    expect(list.stdout).toMatch(/^lead \(off\) +copilot/m)
    expect(list.stdout).toMatch(
      /^Disabled by a policy:\n(?: {2}Agent \w+ is defined in \S+, but the policy allows built-in agents only.*\n)+/m,
    )
    expect(list.stdout).toContain(`customAgent.enabled is false (${project.at(policy)}:1)`)
    expect(list.stderr).toContain('only built-in agents are allowed')
  })

  test('agents of a built-in team', async () => {
    const project = createProject()
    const list = JSON.parse(
      (await project.cadre(['agents', 'list', '--team', 'supervisor', '--json'])).stdout,
    )
    expect(list.length).toBeGreaterThan(1)
    expect(list[0]).toMatchObject({ dialect: 'built-in' })
    const view = JSON.parse((await project.cadre(['agents', 'show', list[0].name, '--json'])).stdout)
    expect(view).toMatchObject({ name: list[0].name, source: { dialect: 'built-in' } })
  })

  test('does not show values of servers', async () => {
    const secret = 'abcdef0123456789abcd'
    const project = createProject({
      [lead]: agent(
        `name: lead\ndescription: d\nmcp-servers:\n  docs:\n    command: npx\n    env:\n      TOKEN: ${secret}`,
      ),
    })
    for (const flags of [[], ['--json']]) {
      const { stdout } = await project.cadre(['agents', 'show', 'lead', ...flags])
      expect(stdout).toContain('docs')
      expect(stdout).not.toContain(secret)
    }
  })
})
