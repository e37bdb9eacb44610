import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { bin } from './support/cadre.ts'
import { agentFile, createProject, delegate, report } from './support/project.ts'

const test = sampled(3)

const speak = { lanes: { '*': [{ reply: 'I am {{agent}}.' }] } }
const run = ['run', '--json', '--model', 'scripted:p.yaml']
const agentOf = (lines: Record<string, unknown>[]) => lines.at(-1)?.['agent']

test('a team starts with its own entry agent, unless another is named', async () => {
  const project = createProject({ ...agentFile('lead'), 'p.yaml': speak })
  const byTeam = await project.cadre([...run, '--team', 'planner', 'x'])
  expect(byTeam.stderr).toBe('')
  expect(byTeam.json().at(-1)).toMatchObject({
    agent: 'Plan',
    handoffs: [
      { label: 'Start Implementation', send: true },
      { label: 'Open in Editor', send: true },
    ],
  })
  const named = await project.cadre([...run, '--team', 'planner', '--agent', 'CVE_Remediator', 'x'])
  expect(named.stderr).toBe('')
  // Its report lacks required sections here.
  expect(named.json().at(-1)).toMatchObject({ agent: 'CVE_Remediator', status: 'error' })
  const without = await project.cadre([...run, 'x'])
  expect(agentOf(without.json())).toBe('lead')
})

test('a team can be configured, and a flag overrides it for one run', async () => {
  const project = createProject({ '.cadre/config.yaml': { team: 'coordinator/advanced' }, 'p.yaml': speak })
  const advanced = await project.cadre([...run, 'x'])
  expect(advanced.json()[0]).toMatchObject({ agent: 'coordinator' })
  expect(project.read(`.cadre/sessions/${project.sessions()[0]}.session.yaml`)).toContain('frontend-dev')
  expect(agentOf((await project.cadre([...run, '--team', 'operators', 'x'])).json())).toBe('planner-001')
  project.write('.cadre/config.yaml', { team: 'coordinator', entry: 'test-engineer' })
  expect(agentOf((await project.cadre([...run, 'x'])).json())).toBe('test-engineer')
})

test.each([
  [
    '--team',
    'supervisr',
    /no team named "supervisr". Did you mean supervisor\? .*Known: coordinator, explorers/,
  ],
  ['--team', 'coordinator/big', /team coordinator has no variant "big".*Known: standard, minimal, advanced/],
])('%s %s is rejected, and the error lists the known ones', async (flag, team, message) => {
  const project = createProject({ 'p.yaml': speak })
  const { code, stderr } = await project.cadre(['run', '--model', 'scripted:p.yaml', flag, team, 'x'])
  expect(code).toBe(2)
  expect(stderr).toMatch(message)
  expect(project.sessions()).toEqual([])
  const configured = createProject({ '.cadre/config.yaml': { team }, 'p.yaml': speak })
  expect((await configured.cadre(['run', '--model', 'scripted:p.yaml', 'x'])).stderr).toMatch(message)
})

test('a built-in agent that no file defines includes its team, with a notice', async () => {
  const lanes = {
    supervisor: [{ calls: [delegate('verifier')] }, { reply: 'Done.' }],
    verifier: [
      report('## Verification Report\nread\n## Verdict\nPASS: all\n## Failing Commands or Evidence\nnone'),
    ],
  }
  const project = createProject({ ...agentFile('mine'), 'p.yaml': { lanes } })
  const { stderr, json } = await project.cadre([...run, '--agent', 'Supervisor', 'x'])
  expect(json().at(-1)).toMatchObject({ agent: 'supervisor', status: 'completed', sessions: 2 })
  expect(stderr).toMatch(
    /^cadre: no agent file defines Supervisor, so Cadre uses the built-in team supervisor\. To edit its agents, run "cadre init/,
  )
})

test('files take precedence over the agents in a team, with a notice', async () => {
  const own = agentFile('verifier', { tools: ['write_file'] })
  const lanes = {
    supervisor: [{ calls: [delegate('verifier')] }, { reply: '{{result 1}}' }],
    verifier: [{ expect: { tools: ['write_file'], system: 'You are verifier.' }, ...report('By mine.') }],
  }
  const project = createProject({ ...own, 'p.yaml': { lanes } })
  const { stderr, json } = await project.cadre([...run, '--team', 'supervisor', 'x'])
  expect(json().at(-1)).toMatchObject({ text: expect.stringContaining('By mine.') })
  expect(stderr).toMatch(
    /^cadre: agent files replace these agents in team supervisor: verifier \(.*verifier\.agent\.yaml\)$/m,
  )
})

test('a broken project file is not replaced by a built-in agent', async () => {
  const broken = { '.github/agents/supervisor.agent.md': '---\nname: supervisor\nmax-turns: many\n---\nx\n' }
  const project = createProject({ ...broken, 'p.yaml': speak })
  for (const flags of [
    ['--agent', 'supervisor'],
    ['--team', 'supervisor'],
  ]) {
    const { code, stderr } = await project.cadre(['run', '--model', 'scripted:p.yaml', ...flags, 'x'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/supervisor\.agent\.md:3: max-turns must be/)
  }
})

test('workers of a team can only be started by other agents', async () => {
  const project = createProject({ 'p.yaml': speak })
  const { code, stderr } = await project.cadre([...run, '--agent', 'researcher', 'x'])
  expect(code).toBe(2)
  expect(stderr).toContain('researcher')
})

test('the supervisor’s roles apply to every worker: who edits, who executes, nobody delegates', async () => {
  const workers = ['researcher', 'architect', 'builder', 'verifier', 'diagnostician', 'vision-operator']
  const tries = {
    calls: [
      { tool: 'write_file', input: { path: 'by-{{agent}}.txt', content: 'x' } },
      { tool: 'edit_file', input: { path: 'p.yaml', old: 'no such text', new: 'y' } },
      { tool: 'get_errors', input: {} },
      { tool: 'read_file', input: { path: 'p.yaml', limit: 1 } },
      delegate('builder'),
    ],
  }
  const lanes = {
    supervisor: [{ calls: workers.map((name) => delegate(name)) }, { reply: 'Seen.' }],
    '*': [tries, { fail: 'that was all' }],
  }
  // The user's own rule, which also applies without a sandbox.
  const own = { '.config/cadre/policy.yaml': { effects: { execute: 'allow' } } }
  const project = createProject({ ...own, 'p.yaml': { lanes } })
  const lines = (await project.cadre([...run, '--team', 'supervisor', 'x'])).json()
  const sessions = new Map(
    lines.filter(({ type }) => type === 'session.started').map((line) => [line['session'], line['agent']]),
  )
  const allowed = (agent: string) =>
    lines
      .filter((line) => line['type'] === 'call.settled' && sessions.get(line['session']) === agent)
      .map((line) => line['outcome'] !== 'refused')
  const table = Object.fromEntries(workers.map((name) => [name, allowed(name)]))
  expect(table).toEqual({
    researcher: [false, false, false, true, false],
    architect: [false, false, false, true, false],
    builder: [true, true, true, true, false],
    verifier: [false, false, true, true, false],
    diagnostician: [false, false, true, true, false],
    'vision-operator': [false, false, true, true, false],
  })
  expect(project.listing().filter((name) => name.startsWith('by-'))).toHaveLength(1)
})

const resumable = {
  lanes: {
    coordinator: [
      { calls: [delegate('frontend-dev')] },
      { calls: [delegate('architect')] },
      { reply: 'Both did.' },
    ],
    'frontend-dev': [report('I did.')],
    architect: [report('I did, too.')],
  },
}
const failing = {
  lanes: { ...resumable.lanes, coordinator: [resumable.lanes.coordinator[0], { fail: 'the model is gone' }] },
}

test('a resumed run finds the agents of its team, in the same variant', async () => {
  const project = createProject({ 'p.yaml': failing })
  const begun = await project.cadre([...run, '--team', 'coordinator/advanced', 'x'])
  expect(begun.json().at(-1)).toMatchObject({ status: 'error' })
  const id = String(begun.json().at(-1)?.['session'])
  project.write('p.yaml', resumable)
  const { stderr, json } = await project.cadre(['resume', '--json', id])
  expect(stderr).toBe('')
  expect(json().at(-1)).toMatchObject({
    agent: 'coordinator',
    status: 'completed',
    text: 'Both did.',
    sessions: 3,
  })
})

test('so does one whose entry agent came from a file', async () => {
  const own = agentFile('coordinator', { tools: ['delegateWork'] })
  const project = createProject({ ...own, 'p.yaml': failing })
  const begun = await project.cadre([...run, '--team', 'coordinator/advanced', 'x'])
  const id = String(begun.json().at(-1)?.['session'])
  project.write('p.yaml', resumable)
  const { json } = await project.cadre(['resume', '--json', id])
  expect(json().at(-1)).toMatchObject({ status: 'completed', text: 'Both did.', sessions: 3 })
})

test('without a team, no team files are read', async () => {
  const spy = `const fs = require('node:fs')
for (const name of ['readFileSync', 'readdirSync', 'openSync']) {
  const real = fs[name]
  fs[name] = (path, ...rest) => {
    if (/agents[\\\\/]teams/.test(String(path))) process.stderr.write('read ' + path + '\\n')
    return real(path, ...rest)
  }
}
require('node:module').syncBuiltinESMExports()
`
  const project = createProject({ ...agentFile('lead'), 'p.yaml': speak, 'spy.cjs': spy })
  const options = { env: { NODE_OPTIONS: '--require ./spy.cjs' } }
  expect((await project.cadre([...run, 'x'], options)).stderr).toBe('')
  expect((await project.cadre([...run, '--agent', 'assistant', 'x'], options)).stderr).toBe('')
  expect((await project.cadre([...run, '--team', 'planner', 'x'], options)).stderr).toMatch(
    /^read .*team\.yaml$/m,
  )
})

test('finds the teams from the compiled files and from the bundle', () => {
  const compiled = path.join(path.dirname(bin), '..', 'dist', 'main.js')
  const listed = [bin, compiled].map((main) =>
    execFileSync(process.execPath, [main, 'init', '--json'], { cwd: createProject().path, encoding: 'utf8' }),
  )
  expect(listed[0]).toContain('"name":"supervisor"')
  expect(listed[1]).toBe(listed[0])
})

test('if only built-in agents are permitted, a team still works, and CVE_Remediator can be disabled', async () => {
  const project = createProject({
    ...agentFile('Plan'),
    '.cadre/storage/policy.yaml': { customAgent: { enabled: false }, cveRemediatorAgent: { enabled: false } },
    'p.yaml': speak,
  })
  const plan = await project.cadre([...run, '--team', 'planner', 'x'])
  expect(plan.json().at(-1)).toMatchObject({ agent: 'Plan', handoffs: expect.any(Array) })
  expect(plan.stderr).not.toContain('agent files replace')
  const remediator = await project.cadre([
    'run',
    '--model',
    'scripted:p.yaml',
    '--agent',
    'CVE_Remediator',
    'x',
  ])
  expect(remediator.code).toBe(4)
  expect(remediator.stderr).toMatch(/cveRemediatorAgent\.enabled is false/)
})
