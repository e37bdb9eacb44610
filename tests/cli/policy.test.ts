import { describe, test as everyTime, expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { agentFile, createProject, delegate, type Project, report } from './support/project.ts'

const test = sampled(3)

const project = '.cadre/storage/policy.yaml'
const user = '.config/cadre/policy.yaml'
const run = (...flags: string[]) => ['run', '--json', '--model', 'scripted:p.yaml', ...flags, 'Do it.']
const done = { reply: 'done' }
const work = (more: object = {}) => ({
  tool: 'delegate_task',
  input: { subagent_type: 'worker', prompt: 'p', wait_for_result: true, ...more },
})

type Line = Record<string, unknown>
const settled = (lines: Line[]) => lines.filter(({ type }) => type === 'call.settled')
const sessionOf = (lines: Line[]) => (lines.at(-1) as { session: string }).session
const header = (of: Project, session: string) =>
  of.read(`.cadre/sessions/${session}.session.yaml`).split('\nmessages:')[0]

describe('an invalid policy', () => {
  test('stops every run, and reports the error with its line; everything else still works', async () => {
    const team = createProject({
      ...agentFile('lead'),
      'p.yaml': { lanes: { '*': [done, { reply: 'more' }] } },
    })
    const lead = sessionOf((await team.cadre(run())).json())
    team.write(project, '# ours\nsubagents.enabled: false\n')
    const before = team.listing()
    const refused = await team.cadre(['run', '--model', 'scripted:p.yaml', 'x'])
    expect(refused.stderr).toMatch(
      /^cadre: \S+\/storage\/policy\.yaml:2: There is no key "subagents" in the policy. Did you mean subagent\? Cadre runs no sessions until/,
    )
    expect(refused.code).toBe(2)
    const machine = await team.cadre(['resume', '--json', lead, 'go on'])
    expect(machine.json().at(-1)).toMatchObject({ type: 'error', code: 'configuration' })
    expect(machine.code).toBe(2)
    for (const command of ['sessions list', 'sessions tree', `sessions show ${lead}`, `resume ${lead}`])
      expect((await team.cadre(command.split(' '))).code).toBe(0)
    const doctor = await team.cadre(['doctor'], { env: { CADRE_MODEL: 'scripted:p.yaml' } })
    expect(doctor.stdout).toMatch(/^fail {2}policy +\S+policy\.yaml:2: There is no key "subagents"/m)
    expect(doctor.stdout).toMatch(/^ok {4}agents +1 agent in 1 file: lead$/m)
    for (const command of ['agents list', 'lint']) {
      const looked = await team.cadre(command.split(' '))
      expect(looked.stderr).toMatch(
        /policy\.yaml:2: There is no key "subagents".*\n.*runs no sessions until this policy is valid/,
      )
      expect(looked.stderr + looked.stdout).not.toMatch(/is false|no agents here|disabled/i)
      expect(looked.stdout).toMatch(/lead|1 file/)
      expect(looked.code).toBe(0)
    }
    const shown = await team.cadre(['agents', 'show', 'lead'])
    expect(shown.stderr).toMatch(/policy\.yaml:2: There is no key "subagents"/)
    expect(shown.code).toBe(2)
    expect(doctor.code).toBe(1)
    expect(team.listing()).toEqual(before)
  })

  test('cannot be bypassed by a flag or the environment', async () => {
    const team = createProject({ 'p.yaml': { lanes: { '*': [done] } }, [user]: 'limits: none\n' })
    for (const [flags, env] of [
      [['--trust'], {}],
      [[], { CADRE_TRUST: '1' }],
      [['--home', team.at('other')], {}],
    ] as const)
      expect((await team.cadre(run(...flags), { env })).code).toBe(2)
    team.write('xdg/cadre/policy.yaml', 'limits: none\n')
    const moved = await team.cadre(run(), { env: { XDG_CONFIG_HOME: team.at('xdg') } })
    expect(moved.json().at(-1)).toMatchObject({ message: expect.stringContaining('xdg/cadre/policy.yaml:1') })
  })
})

everyTime('the policy limits the time and output of commands', async () => {
  const command = (line: string) => ({ tool: 'execute_command', input: { command: line, timeout: 600 } })
  const team = createProject({
    ...agentFile('lead'),
    'p.yaml': { lanes: { '*': [{ calls: [command('seq 1 2000'), command('sleep 600')] }, done] } },
    [user]: 'commands: { timeoutSeconds: 2, outputKilobytes: 1 }\n',
  })
  const [long, slow] = settled((await team.cadre(run('--allow', 'execute'))).json()).map((one) =>
    JSON.stringify(one),
  )
  expect(long).toContain('2000')
  expect(long?.length).toBeLessThan(3_000)
  expect(slow).toContain('2 seconds')
})

describe('customAgent.enabled: false', () => {
  const files = {
    ...agentFile('lead'),
    ...agentFile('worker'),
    'p.yaml': { lanes: { '*': [done, { reply: 'more' }] } },
  }

  test('permits only built-in agents, and names the deciding file', async () => {
    const team = createProject({ ...files, [user]: 'customAgent:\n  enabled: false\n' })
    const { json, stderr, code } = await team.cadre(run())
    const place = `${team.at(user)}:2`
    expect(json().at(-1)).toMatchObject({ type: 'report', agent: 'assistant' })
    expect(stderr).toContain(
      `cadre: only built-in agents are allowed: customAgent.enabled is false (${place})\n`,
    )
    expect(code).toBe(0)
    expect(header(team, sessionOf(json()))).toMatch(/^ {2}targets: \[\]$/m)
    const named = await team.cadre(run('--agent', 'worker'))
    expect(named.json().at(-1)).toMatchObject({
      type: 'error',
      code: 'policy',
      message: expect.stringContaining(place),
    })
    expect(named.code).toBe(4)
    // A built-in team has an agent with this name, but it was not requested.
    const lead = await team.cadre(['run', '--model', 'scripted:p.yaml', '--agent', 'lead', 'x'])
    expect(lead.stderr).toContain(`agent lead is defined in ${team.at('.cadre/templates/lead.agent.yaml')}`)
    expect(lead.stderr).toContain(`customAgent.enabled is false (${place})`)
    expect(lead.stderr).not.toContain('no agent file defines')
    expect(lead.code).toBe(4)
    expect((await team.cadre(['agents', 'show', 'lead'])).code).toBe(4)
    const asked = await team.cadre(run('--team', 'supervisor'))
    expect(asked.code).toBe(0)
    const doctor = await team.cadre(['doctor'])
    expect(doctor.stdout).toContain(
      `only built-in agents are available: customAgent.enabled is false (${place})`,
    )
  })

  test('does not continue an earlier session of another agent', async () => {
    const team = createProject(files)
    const lead = sessionOf((await team.cadre(run())).json())
    team.write(project, 'customAgent.enabled: false\n')
    const { stderr, code } = await team.cadre(['resume', lead, 'more'])
    expect(stderr).toContain(
      `cadre: Agent lead is defined in ${team.at('.cadre/templates/lead.agent.yaml')}, but the policy allows built-in agents only: customAgent.enabled is false (${team.at(project)}:1)`,
    )
    expect(code).toBe(4)
  })
})

describe('subagent.enabled: false', () => {
  const middle = agentFile('middle', { agents: ['worker'] })
  const files = { ...agentFile('lead'), ...middle, ...agentFile('worker') }

  test('offers no agents, and denies a delegation', async () => {
    const team = createProject({
      ...files,
      [project]: 'subagent.enabled: false\n',
      'p.yaml': {
        lanes: {
          lead: [
            { expect: { withoutTools: ['delegateWork', 'delegate_task'] }, calls: [delegate('worker')] },
            done,
          ],
        },
      },
    })
    const { json, stderr } = await team.cadre(run())
    expect(settled(json())).toMatchObject([{ outcome: 'refused' }])
    expect(json().at(-1)).toMatchObject({ status: 'completed', sessions: 1 })
    expect(stderr).toContain(`delegation is disabled: subagent.enabled is false (${team.at(project)}:1)`)
  })

  test('also in an earlier session, by the policy, with the reason', async () => {
    const team = createProject({
      ...files,
      'p.yaml': {
        lanes: { lead: [done, { calls: [delegate('worker'), work()] }, { reply: 'alone: {{last}}' }] },
      },
    })
    const lead = sessionOf((await team.cadre(run())).json())
    expect(header(team, lead)).toMatch(/^ {2}targets: \[.*worker.*\]$/m)
    team.write(user, 'subagent:\n  enabled: false\n')
    const { json } = await team.cadre(['resume', '--json', lead, 'more'])
    const reason = `delegation is disabled: subagent.enabled is false (${team.at(user)}:2). Do the work yourself`
    expect(settled(json())).toMatchObject([
      { outcome: 'refused', code: 'policy', content: reason },
      { outcome: 'refused', code: 'policy', content: reason },
    ])
    expect(json().at(-1)).toMatchObject({ status: 'completed', sessions: 1 })
  })

  test('does not continue unfinished children at any depth; the first session continues alone', async () => {
    const team = createProject({
      ...files,
      'p.yaml': {
        lanes: {
          lead: [{ calls: [delegate('middle')] }, { reply: 'alone: {{last}}' }],
          middle: [{ calls: [delegate('worker')] }, report('m')],
          worker: [{ calls: [{ tool: 'web_fetch', input: { url: 'https://example.org' } }] }, report('w')],
        },
      },
    })
    const waiting = await team.cadre(run())
    expect(waiting.code).toBe(3)
    const lead = sessionOf(waiting.json())
    team.write(project, 'subagent.enabled: false\n')
    const { json, code } = await team.cadre(['resume', '--json', lead])
    expect(settled(json())).toMatchObject([{ outcome: 'failed', code: 'policy' }])
    expect(json().at(-1)).toMatchObject({
      status: 'completed',
      text: expect.stringContaining('delegation is disabled'),
    })
    expect(code).toBe(0)
    const child = team.sessions().find((id) => id.startsWith('worker')) as string
    const direct = await team.cadre(['resume', child, 'go on'])
    expect(direct.stderr).toContain('Another agent started worker, but delegation is disabled')
    expect(direct.code).toBe(4)
  })

  test('the setting enableSubagent does the same, and a project cannot override it', async () => {
    const lanes = { lead: [{ expect: { withoutTools: 'delegateWork' }, calls: [delegate('worker')] }, done] }
    const team = createProject({
      ...files,
      'p.yaml': { lanes },
      '.config/cadre/config.yaml': 'enableSubagent: false\n',
      '.cadre/config.yaml': 'enableSubagent: true\n',
    })
    const off = await team.cadre(run())
    expect(off.json().at(-1)).toMatchObject({ status: 'completed', sessions: 1 })
    expect(off.stderr).toContain('enableSubagent')
    team.write('.config/cadre/config.yaml', '')
    const on = await team.cadre(run())
    expect(on.json().at(-1)).toMatchObject({
      status: 'error',
      notices: [{ message: expect.stringContaining('delegateWork') }],
    })
    team.write(project, 'subagent.enabled: false\n')
    expect((await team.cadre(run())).json().at(-1)).toMatchObject({ status: 'completed', sessions: 1 })
  })
})

describe('cveRemediatorAgent.enabled: false', () => {
  const files = (name: string) => ({
    ...agentFile('lead'),
    ...agentFile('worker'),
    [`.github/agents/${name}.agent.md`]: `---\nname: ${name}\ndescription: d\n---\nYou mend.\n`,
    'p.yaml': {
      lanes: {
        lead: [done, { calls: [delegate(name), delegate('worker')] }, { reply: 'end: {{last}}' }],
        worker: [report('w')],
        '*': [{ reply: 'mended' }, { reply: 'more' }],
      },
    },
  })

  test.each(['CVE_Remediator', 'cve_remediator'])('%s cannot be started', async (name) => {
    const team = createProject(files(name))
    const first = await team.cadre(run('--agent', 'CVE_REMEDIATOR'))
    expect(first.json().at(-1)).toMatchObject({ agent: name, text: 'mended' })
    team.write(project, '\ncveRemediatorAgent: {enabled: false}\n')
    const reason = `Agent ${name} is disabled: cveRemediatorAgent.enabled is false (${team.at(project)}:2)`
    for (const args of [run('--agent', name), ['resume', '--json', sessionOf(first.json()), 'more']]) {
      const { json, code } = await team.cadre(args)
      expect(json().at(-1)).toMatchObject({ type: 'error', code: 'policy', message: reason })
      expect(code).toBe(4)
    }
  })

  test('prevents delegation to it, new or resumed, and to no others', async () => {
    const team = createProject(files('CVE_Remediator'))
    const before = sessionOf((await team.cadre(run())).json())
    expect(header(team, before)).toContain('CVE_Remediator')
    team.write(project, 'cveRemediatorAgent.enabled: false\n')
    const after = sessionOf((await team.cadre(run())).json())
    expect(header(team, after)).toMatch(/^ {2}targets: \[\W*worker\W*\]$/m)
    const { json } = await team.cadre(['resume', '--json', before, 'more'])
    expect(settled(json()).filter(({ session }) => session === before)).toMatchObject([
      {
        outcome: 'refused',
        code: 'policy',
        content: expect.stringContaining('cveRemediatorAgent.enabled is false'),
      },
      { outcome: 'done' },
    ])
  })
})

describe('models.allow', () => {
  const files = {
    ...agentFile('lead'),
    ...agentFile('worker', { model: ['big', 'small'] }),
    'p.yaml': {
      models: { small: {}, big: {} },
      lanes: {
        lead: [done, { calls: [work({ model: 'big' }), work()] }, { reply: '{{last}}' }],
        worker: [{ reply: 'w' }, { reply: 'w2' }],
      },
    },
  }
  const allow = 'models:\n  allow: ["*p.yaml", "*#small"]\n'

  test('the default, the flag, an agent’s preference, a call: a model that is not allowed does not start', async () => {
    const team = createProject({ ...files, [project]: allow })
    const place = `${team.at(project)}:2`
    const big = `scripted:${team.at('p.yaml')}#big`
    const notAllowed = `${place} does not allow the model ${big}. Allowed: *p.yaml, *#small. Choose one of them with --model`
    for (const [args, env] of [
      [['run', '--json', '--agent', 'lead', 'x'], { CADRE_MODEL: big }],
      [['run', '--json', '--agent', 'lead', '--model', big, 'x'], {}],
    ] as const) {
      const { json, code } = await team.cadre(args, { env })
      expect(json().at(-1)).toMatchObject({
        type: 'error',
        code: 'policy',
        message: expect.stringContaining(notAllowed),
      })
      expect(code).toBe(4)
    }
    const chat = await team.cadre(['chat', '--json', '--agent', 'lead', '--model', 'scripted:p.yaml'], {
      input: `/model ${big}\n`,
    })
    expect(chat.json()).toMatchObject([{ type: 'error', code: 'policy' }])
    expect(team.sessions()).toEqual([])
    const preferred = await team.cadre(
      run('--agent', 'worker').filter((flag) => flag !== '--model' && flag !== 'scripted:p.yaml'),
      {
        env: { CADRE_MODEL: 'scripted:p.yaml' },
      },
    )
    expect(preferred.json().at(-1)).toMatchObject({ text: 'w', model: expect.stringMatching(/#small$/) })
    const lead = sessionOf((await team.cadre(run('--agent', 'lead'))).json())
    const env = { CADRE_MODEL: 'scripted:p.yaml' }
    const { json } = await team.cadre(['resume', '--json', lead, 'more'], { env })
    expect(settled(json()).filter(({ session }) => session === lead)).toMatchObject([
      { outcome: 'failed', code: 'policy', content: expect.stringContaining(notAllowed) },
      { outcome: 'done' },
    ])
  })

  test('a session does not continue with a model that is no longer allowed, nor with another one', async () => {
    const team = createProject(files)
    const first = await team.cadre(['run', '--json', '--agent', 'worker', 'x'], {
      env: { CADRE_MODEL: 'scripted:p.yaml' },
    })
    const worker = sessionOf(first.json())
    expect(first.json().at(-1)).toMatchObject({ model: expect.stringMatching(/#big$/) })
    team.write(user, allow)
    const refused = await team.cadre(['resume', '--json', worker, 'more'])
    expect(refused.json().at(-1)).toMatchObject({
      code: 'policy',
      message: expect.stringContaining('#big. Allowed'),
    })
    expect(refused.code).toBe(4)
    const big = `scripted:${team.at('p.yaml')}#big`
    expect((await team.cadre(['resume', worker, 'more', '--model', big])).code).toBe(4)
    const small = `scripted:${team.at('p.yaml')}#small`
    const mended = await team.cadre(['resume', '--json', worker, 'more', '--model', small])
    expect(mended.json().at(-1)).toMatchObject({ type: 'report', text: 'w2' })
  })

  test('every level must allow it; doctor reports it beforehand', async () => {
    const team = createProject({ ...files, [project]: allow, [user]: 'models.allow: [gpt-5]\n' })
    const { json } = await team.cadre(run('--agent', 'lead'))
    expect(json().at(-1)).toMatchObject({
      message: expect.stringContaining(
        `${team.at(user)}:1 does not allow the model scripted:${team.at('p.yaml')}. Allowed: gpt-5.`,
      ),
    })
    const doctor = await team.cadre(['doctor'], { env: { CADRE_MODEL: 'scripted:p.yaml' } })
    expect(doctor.stdout).toMatch(/^fail {2}model +scripted:p\.yaml: .*does not allow the model/m)
    expect(doctor.code).toBe(1)
  })
})

describe('limits', () => {
  const look = { calls: [{ tool: 'list_directory', input: { path: '.' } }], repeat: 9 }

  test('flags, configuration, agents and calls can only go below, with a notice', async () => {
    const team = createProject({
      ...agentFile('lead', { maxTurns: 9 }),
      ...agentFile('worker', { maxTurns: 9 }),
      '.cadre/config.yaml': { limits: { maxTurns: 9, sessions: 5 }, budget: { calls: 50 } },
      [project]: 'limits:\n  maxTurns: 2\n  depth: 1\n  budget: {calls: 3}\n',
      'p.yaml': { lanes: { lead: [{ calls: [work({ max_turns: 9 })] }, look], worker: [look] } },
    })
    const { json, stderr } = await team.cadre(run('--max-turns', '8', '--depth', '7'))
    const rounds = (agent: string) =>
      json().filter(({ type, session }) => type === 'reply.received' && String(session).startsWith(agent))
        .length
    expect([rounds('lead'), rounds('worker')]).toEqual([2, 2])
    expect(settled(json()).at(-1)).toMatchObject({
      code: 'budget',
      content: expect.stringContaining('3 calls'),
    })
    expect(stderr).toContain(
      `cadre: limits.depth is lowered from 7 to 1, the maximum set by ${team.at(project)}:3\n`,
    )
    expect(stderr).toContain('limits.maxTurns is lowered from 8 to 2')
    expect(stderr).toContain('limits.budget.calls is lowered from 50 to 3')
    expect(stderr).not.toContain('limits.sessions')
  })

  test('apply to a resumed run that was started with more, whatever is requested', async () => {
    const team = createProject({
      ...agentFile('lead'),
      ...agentFile('worker'),
      'p.yaml': { lanes: { lead: [done, { calls: [delegate('worker')] }, look], worker: [report('w')] } },
    })
    const lead = sessionOf((await team.cadre(run('--agent', 'lead'))).json())
    team.write(project, 'limits: {depth: 0, maxTurns: 3}\n')
    const { json, code } = await team.cadre(['resume', '--json', '--depth', '5', lead, 'more'])
    expect(settled(json())[0]).toMatchObject({
      outcome: 'refused',
      content: expect.stringContaining('delegation depth limit reached (0, limits.depth)'),
    })
    expect(json().at(-1)).toMatchObject({ status: 'incomplete', notices: [{ code: 'max_rounds' }] })
    expect(json().filter(({ type }) => type === 'reply.received')).toHaveLength(3)
    expect(code).toBe(1)
  })
})

test('doctor shows the policies in effect and their decisions', async () => {
  const team = createProject({
    'p.yaml': { lanes: { '*': [done] } },
    [user]: 'limits: {depth: 2, sessions: 9}\nmcp.contributionPoint.enabled: false\n',
    [project]: 'limits.depth: 3\nagentMode.autoApproval.enabled: true\neffects: {write: deny}\n',
  })
  const env = { CADRE_MODEL: 'scripted:p.yaml' }
  const { stdout, code } = await team.cadre(['doctor'], { env })
  const lines = stdout.split('\n').filter((line) => / policy /.test(line))
  expect(lines).toEqual([
    expect.stringContaining(
      `${team.at(user)} (user) sets limits.depth: 2 (line 1); limits.sessions: 9 (line 1); mcp.contributionPoint.enabled: false (line 2)`,
    ),
    expect.stringContaining(`${team.at(project)} (project) sets effects.write: deny (line 3)`),
  ])
  expect(code).toBe(0)
  const none = await createProject().cadre(['doctor'])
  expect(none.stdout).toMatch(
    /^ok {4}policy +no file; defaults: reading is allowed, everything else needs an approval$/m,
  )
})
