import { describe, expect, test } from 'vitest'
import { amount } from '../support/amount.ts'
import { agentFile, createProject, delegate, deployTool, type Project, report } from './support/project.ts'

const policy = '.cadre/storage/policy.yaml'
const explain = (tool: string, input: object, ...flags: string[]) => [
  ...['policy', 'explain', '--json', '--tool', tool, '--input', JSON.stringify(input)],
  ...flags,
]
const write = { path: 'a.txt', content: 'x' }
const url = { url: 'https://example.org' }

async function decided(project: Project, args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, json, stdout, stderr } = await project.cadre(args)
  expect(code, stdout + stderr).toBe(0)
  return json()[0] as Record<string, unknown>
}

/** A team in which each agent delegates to the next; the last one is read-only. */
const team = {
  ...agentFile('lead', { agents: ['middle'] }),
  ...agentFile('middle', { agents: ['worker'] }),
  ...agentFile('worker', { tools: ['read_file', 'web_fetch'], agents: [] }),
}

describe('cadre policy explain', () => {
  test.each([
    ['read_file', { path: 'a.txt' }, 'allow', 'policy'],
    ['write_file', write, 'ask', 'policy'],
    ['write_file', { path: '../a.txt', content: 'x' }, 'deny', 'policy'],
    ['web_fetch', url, 'ask', 'policy'],
    ['no_such_tool', {}, 'deny', 'tool'],
    ['write_file', { path: 'a.txt' }, 'deny', 'tool'],
    ['Read', { file_path: 'a.txt' }, 'allow', 'policy'],
  ])('%s %j is %s by %s, with 0, without creating a home', async (...row) => {
    const [tool, input, decision, by] = row
    const project = createProject({ 'a.txt': 'x' })
    const before = project.listing()
    const said = await decided(project, explain(tool, input))
    expect(said).toMatchObject({ decision, by, rule: expect.stringMatching(/./), chain: ['assistant'] })
    expect(said['reason']).toMatch(/\w/)
    expect(project.listing()).toEqual(before)
  })

  test("a tool that is not in an agent's list is denied, at any depth", async () => {
    const project = createProject(team)
    const before = project.listing()
    for (const depth of [[], ['--depth', '2'], ['--depth', 'lead>middle']])
      expect(
        await decided(project, explain('write_file', write, '--agent', 'worker', ...depth)),
      ).toMatchObject({ decision: 'deny', by: 'agent' })
    expect(project.listing()).toEqual(before)
  })

  test.each(['lead>middle', 'lead > middle', 'lead,middle', 'lead/middle', 'lead>middle>worker', '2'])(
    'parses the depth %s',
    async (depth) => {
      const project = createProject(team)
      const said = await decided(
        project,
        explain('read_file', { path: 'a' }, '--agent', 'worker', '--depth', depth),
      )
      expect(said).toMatchObject({ decision: 'allow', chain: ['lead', 'middle', 'worker'] })
    },
  )

  test.each([
    ['lead', 'worker', /lead may not delegate to worker/],
    ['worker', 'lead', /worker may not delegate to lead/],
    ['1', 'outsider', /no delegation chain reaches outsider 1 levels? below/],
    ['9', 'worker', /maximum delegation depth is 3/],
    ['middle>lead', 'middle', /may not delegate to lead/],
    ['lead>middle>lead', 'middle', /circular: lead → middle → lead/],
  ])('an impossible chain, %s above %s, is denied with the reason', async (...row) => {
    const [depth, agent, reason] = row
    const project = createProject({ ...team, ...agentFile('outsider', { agents: [] }) })
    const said = await decided(
      project,
      explain('read_file', { path: 'a' }, '--agent', agent, '--depth', depth),
    )
    expect(said).toMatchObject({ decision: 'deny', by: 'role' })
    expect(said['reason']).toMatch(reason)
  })

  test('an agent that people may not start is judged below the agent that starts it', async () => {
    const hidden = agentFile('worker', { tools: ['read_file'], agents: [], 'user-invocable': false })
    const project = createProject({ ...team, ...hidden })
    const said = await decided(project, explain('read_file', { path: 'a' }, '--agent', 'worker'))
    expect(said).toMatchObject({ decision: 'allow', chain: ['lead', 'middle', 'worker'] })
  })

  test('prints the decision first, then by whom and why', async () => {
    const project = createProject(team)
    const { stdout, code } = await project.cadre(explain('web_fetch', url).filter((arg) => arg !== '--json'))
    expect(stdout).toMatch(
      /^ask\n {2}by +policy, \S.*\n {2}why +\w.*\n {2}agent +\w+\n(.*\n)*? {2}risk +MEDIUM\n/,
    )
    expect(code).toBe(0)
  })

  test('does not print words that are not paths, or anything twice', async () => {
    const project = createProject({ 'a.txt': 'x' })
    const asked = ['policy', 'explain', '--tool', 'Bash', '--input', '{"command":"git push ./a.txt"}']
    const { stdout } = await project.cadre(asked)
    expect(stdout).not.toContain('push →')
    expect(stdout).toMatch(/paths +allow {2}\.\/a\.txt → /)
    const denied = await project.cadre(['policy', 'explain', '--tool', 'nope', '--input', '{}'])
    expect(denied.stdout).toMatch(/^deny\n {2}by +tool\n/)
  })

  test('text from a file cannot control the terminal', async () => {
    const { stdout } = await createProject().cadre(['policy', 'explain', '--tool', '\x1b]0;x\x07evil\x1b[2J'])
    expect(stdout).toContain('evil')
    expect(stdout).not.toContain('\x1b')
  })

  test('the arguments come from the command line, from a file or from standard input', async () => {
    const project = createProject({ 'call.json': JSON.stringify(url) })
    const ask = ['policy', 'explain', '--json', '--tool', 'web_fetch', '--input']
    for (const [given, input] of [
      ['@call.json', ''],
      ['-', JSON.stringify(url)],
      [JSON.stringify(url), ''],
    ] as const)
      expect((await project.cadre([...ask, given], { input })).json()).toMatchObject([{ decision: 'ask' }])
  })

  test.each([
    [['--tool', 'x', '--input', '{'], /--input is not valid JSON/],
    [['--tool', 'x', '--input', 'path=a'], /Write the arguments as/],
    [['--tool', 'x', '--input', '[1]'], /must be a JSON object/],
    [['--tool', 'x', '--input', '@none.json'], /cannot read .*none\.json/],
    [['--tool', 'x', '--agent', 'nobody'], /there is no agent "nobody"/],
    [['--tool', 'x', '--depth', 'a>>b'], /a name is missing/],
    [['--tool', 'x', '--agent', 'lead', '--depth', 'nobody'], /there is no agent "nobody"/],
    [['--tool', 'x', '--workspace', 'none'], /workspace folder does not exist/],
    [['--input', '{}'], /--tool requires a value/],
  ])('%j is a usage error', async (args, complaint) => {
    const { stderr, code } = await createProject(team).cadre(['policy', 'explain', ...args])
    expect(stderr).toMatch(complaint)
    expect(code).toBe(2)
  })

  test('what a policy forbids is a decision; an invalid policy is an error', async () => {
    const project = createProject({ ...team, [policy]: 'customAgent.enabled: false\n' })
    const args = explain('read_file', { path: 'a' }, '--agent', 'worker')
    const place = `${project.at(policy)}:1`
    expect(await decided(project, args)).toMatchObject({
      decision: 'deny',
      by: 'policy',
      reason: expect.stringContaining(place),
    })
    project.write(policy, 'subagent.enabled: false\n')
    expect(await decided(project, [...args, '--depth', 'lead>middle'])).toMatchObject({ decision: 'deny' })
    expect(await decided(project, args)).toMatchObject({ decision: 'allow' })
    project.write(policy, 'subagent: maybe\n')
    const { stderr, code } = await project.cadre(args)
    expect(stderr + (await project.cadre(args)).stdout).toContain('policy.yaml:1')
    expect(code).toBe(2)
  })

  test.each([
    [['--read-only'], 'deny', 'role', 'read-only'],
    [['--approval-required', '--allow', 'write'], 'ask', 'approval', 'approval-required'],
    [['--allow', 'write'], 'allow', 'policy', 'effects.write'],
    [['--no-human'], 'deny', 'approval', 'no-human'],
    [[], 'ask', 'policy', 'effects.write'],
    [['--deny-tool', 'edit'], 'deny', 'agent', 'denied-tools'],
  ])('with %j, as for a run, a write is %s by %s', async (flags, decision, by, rule) => {
    const project = createProject(team)
    for (const more of [[], ['--agent', 'middle', '--depth', 'lead']])
      expect(await decided(project, explain('write_file', write, ...flags, ...more))).toMatchObject({
        decision,
        by,
        rule,
      })
  })

  test('names hooks without running them, so their changes are unknown', async () => {
    const hook = (command: string) => ({ hooks: { PreToolUse: [{ type: 'command', command }] } })
    const project = createProject({
      ...team,
      '.github/hooks/touch.json': hook('touch ran; exit 2'),
      '.claude/settings.json': {
        hooks: { PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: 'touch ran' }] }] },
      },
    })
    const before = project.listing()
    const both = await decided(project, explain('write_file', write, '--trust'))
    expect(both).toMatchObject({ decision: 'ask', by: 'policy' })
    const named = ['.claude/settings.json', '.github/hooks/touch.json'].map((file) =>
      expect.stringContaining(file),
    )
    expect([...(both['hooks'] as string[])].sort()).toEqual(named)
    const child = explain('read_file', { path: 'a' }, '--trust', '--agent', 'worker', '--depth', '2')
    expect((await decided(project, child))['hooks']).toHaveLength(1)
    // A call to a tool that the agent may not use never reaches a hook.
    const refused = explain('write_file', write, '--trust', '--agent', 'worker')
    expect(await decided(project, refused)).not.toHaveProperty('hooks')
    const shown = await project.cadre(
      explain('write_file', write, '--trust').filter((arg) => arg !== '--json'),
    )
    expect(shown.stdout).toMatch(/hooks +\S+ would run in a session, but did not run now/)
    expect(project.listing()).toEqual(before)
  })

  test('an untrusted folder is read-only', async () => {
    const files = { '.github/hooks/a.json': { hooks: { PreToolUse: [{ command: 'touch ran' }] } } }
    const project = createProject({ ...team, ...files })
    const before = project.listing()
    expect(await decided(project, explain('read_file', { path: 'a' }))).toMatchObject({ decision: 'allow' })
    expect(await decided(project, explain('write_file', write))).toMatchObject({ decision: 'deny' })
    expect(project.listing()).toEqual(before)
  })

  test('lists the commands in a line one by one', async () => {
    const project = createProject()
    const args = explain('Bash', { command: 'git status && rm -rf build' })
    const said = await decided(project, args)
    expect(said).toMatchObject({
      decision: 'ask',
      by: 'policy',
      commands: [
        { words: ['git', 'status'], decision: 'allow' },
        { words: ['rm', '-rf', 'build'], decision: 'ask' },
      ],
    })
    const { stdout } = await project.cadre(args.filter((arg) => arg !== '--json'))
    expect(stdout).toMatch(/commands +allow {2}git status .*\n +ask {4}rm -rf build/)
  })

  test('predicts the decisions of a run, for an entry agent and two below', async () => {
    const calls = [
      { tool: 'read_file', input: { path: 'a.txt' } },
      { tool: 'write_file', input: write },
      { tool: 'Write', input: { file_path: 'b.txt', content: '' } },
      { tool: 'read_file', input: { nothing: 1 } },
      { tool: 'delegateWork', input: (delegate('lead') as { input: object }).input },
      { tool: 'deploy', input: {} },
      { tool: 'web_fetch', input: url },
      { tool: 'nothing', input: {} },
    ]
    const project = createProject({
      ...team,
      ...deployTool,
      'p.yaml': {
        lanes: {
          lead: [{ calls: [...calls, delegate('middle')] }],
          middle: [{ calls: [delegate('worker')] }],
          worker: [{ calls }, report('done')],
        },
      },
    })
    const ran = await project.cadre(['run', '--json', '--trust', '--model', 'scripted:p.yaml', 'x'])
    expect(ran.code).toBe(3)
    for (const [agent, ...depth] of [['lead'], ['worker', '--depth', 'lead>middle']] as const) {
      const judged = ran.json().filter((event) => event['type'] === 'call.judged' && event['agent'] === agent)
      expect(judged.length).toBeGreaterThanOrEqual(calls.length)
      for (const [index, { tool, input }] of calls.entries()) {
        const flags = ['--trust', '--agent', agent as string, ...depth]
        const { decision, by, reason } = await decided(project, explain(tool, input, ...flags))
        const { decision: really, by: who, reason: why } = judged[index] ?? {}
        expect([tool, decision, by, why === undefined ? why : reason]).toEqual([tool, really, who, why])
      }
    }
  })
})

describe('cadre policy test', () => {
  const table = `# What our team may do.
defaults:
  agent: worker
  depth: lead>middle
  tool: read_file
calls:
  - { input: { path: a.txt }, expect: allow }
  - tool: web_fetch
    input: { url: "https://example.org" }
    expect: ask
    by: policy
    risk: MEDIUM
  - { tool: write_file, input: { path: a.txt, content: x }, expect: deny, by: agent, rule: "*" }
  - { tool: write_file, input: { path: a.txt, content: x }, agent: lead, depth: 0, expect: ask, rule: effects.write }
  - { agent: worker, depth: [lead], input: { path: a }, expect: deny, because: lead knows no worker }
`

  test('a passing table exits with 0 and changes nothing', async () => {
    const project = createProject({ ...team, 'table.yaml': table })
    const before = project.listing()
    const { code, stdout, stderr } = await project.cadre(['policy', 'test', 'table.yaml'])
    expect([stdout, stderr]).toEqual(['5 calls: 5 passed, 0 failed\n', ''])
    expect(code).toBe(0)
    expect(project.listing()).toEqual(before)
  })

  test('prints each failure with its line, the expected and the actual decision, and exits with 1', async () => {
    const wrong = `${table}  - { input: { path: a }, expect: deny, by: role, risk: HIGH, because: it is secret }\n`
    const project = createProject({ ...team, 'table.yaml': table, 'sub/wrong.yaml': wrong })
    const args = ['policy', 'test', 'table.yaml', 'sub/wrong.yaml']
    const { code, stdout } = await project.cadre(args)
    expect(stdout.split('\n')).toEqual([
      'sub/wrong.yaml:16: expected deny, got allow; expected by role, got policy; expected the risk HIGH, got none',
      '    lead › middle › worker: read_file {"path":"a"}',
      expect.stringMatching(/^ {4}allow by policy, \S+: \w/),
      '    because: it is secret',
      '11 calls: 10 passed, 1 failed',
      '',
    ])
    expect(code).toBe(1)
    const machine = await project.cadre([...args, '--json'])
    expect(machine.json()).toMatchObject([
      {
        files: [
          { path: project.at('table.yaml'), calls: 5, failures: [] },
          {
            failures: [
              {
                line: 16,
                tool: 'read_file',
                input: { path: 'a' },
                expected: { decision: 'deny', by: 'role', risk: 'HIGH' },
                got: { decision: 'allow', chain: ['lead', 'middle', 'worker'] },
                because: 'it is secret',
              },
            ],
          },
        ],
        summary: { calls: 11, passed: 10, failed: 1 },
      },
    ])
    expect(machine.code).toBe(1)
  })

  test.each([
    [
      '- { tool: x, input: {}, expct: deny }',
      't.yaml:1: Unknown key "expct" in a call. Did you mean expect?',
    ],
    ['- { tool: x, input: {} }', 't.yaml:1: A call requires expect'],
    ['- { input: {}, expect: deny }', 't.yaml:1: A call requires a tool'],
    ['- { tool: x, input: [], expect: deny }', 't.yaml:1: input must be'],
    ['- tool: x\n  expect: maybe', 't.yaml:2: expect must be one of allow, ask, deny, not "maybe"'],
    ['- { tool: x, expect: deny, by: me }', 't.yaml:1: by must be one of'],
    ['- { tool: x, expect: deny, depth: -1 }', 't.yaml:1: depth must be'],
    ['- { tool: x, expect: deny, depth: "a>>" }', 't.yaml:1: invalid depth "a>>": a name is missing'],
    ['- { tool: 7, expect: deny }', 't.yaml:1: tool must be text'],
    ['- just text', 't.yaml:1: a call must be a map with these keys'],
    ['calls: []', 't.yaml:1: This table has no calls'],
    ['', 't.yaml:1: a table must be'],
    ['default: {}\ncalls:\n  - { tool: x, expect: deny }', 't.yaml:1: Unknown key "default" in a table'],
    [
      'defaults: { tol: x }\ncalls:\n  - { tool: x, expect: deny }',
      't.yaml:1: Unknown key "tol" in defaults',
    ],
    ['- { tool: x, expect: deny', 't.yaml:'],
    ['\n- { agent: nobody, tool: x, expect: deny }', 't.yaml:2: there is no agent "nobody"'],
  ])('%j is an error with its line, and exits with 2', async (text, complaint) => {
    const project = createProject({ ...team, 't.yaml': text })
    const { code, stderr } = await project.cadre(['policy', 'test', 't.yaml'])
    expect(stderr).toContain(complaint)
    expect(code).toBe(2)
    const machine = await project.cadre(['policy', 'test', '--json', 't.yaml'])
    expect(machine.json()).toMatchObject([{ type: 'error', code: 'configuration' }])
    expect(machine.code).toBe(2)
  })

  test('a missing file exits with 2', async () => {
    expect((await createProject().cadre(['policy', 'test', 'none.yaml'])).code).toBe(2)
    expect((await createProject().cadre(['policy', 'test', '.'])).code).toBe(2)
    expect((await createProject().cadre(['policy', 'test'])).code).toBe(2)
  })

  test('many calls of several agents are judged in one process', async () => {
    const length = amount({ usual: 600, deep: 6000 })
    const rows = Array.from({ length }, (_, index) => ({
      agent: ['lead', 'middle', 'worker'][index % 3],
      tool: index % 2 === 0 ? 'read_file' : 'write_file',
      input: { path: `${index}.txt`, content: 'x' },
      expect: index % 2 === 0 ? 'deny' : index % 3 === 2 ? 'deny' : 'ask',
    }))
    const project = createProject({ ...team, 'table.yaml': rows })
    const { stdout, code } = await project.cadre(['policy', 'test', 'table.yaml'])
    expect(stdout).toBe(`${length} calls: ${length} passed, 0 failed\n`)
    expect(code).toBe(0)
  })

  test('the folder of a table is relative to the table', async () => {
    const project = createProject({
      'sub/inner/a.txt': 'x',
      'sub/table.yaml':
        'defaults: { workspace: inner }\ncalls:\n  - { tool: read_file, input: { path: a.txt }, expect: allow }\n',
      'sub/none.yaml': 'defaults: { workspace: none }\ncalls:\n  - { tool: read_file, expect: allow }\n',
    })
    expect((await project.cadre(['policy', 'test', 'sub/table.yaml'])).code).toBe(0)
    expect((await project.cadre(['policy', 'test', 'sub/none.yaml'])).stderr).toContain('sub/none')
  })
})
