import { expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { agentFile, createProject, delegate, report } from './support/project.ts'

const test = sampled(5)

const team = {
  ...agentFile('lead', { tools: ['delegateWork'] }),
  ...agentFile('worker'),
  ...agentFile('writer'),
  'playbook.yaml': {
    lanes: {
      lead: [
        { reply: 'I ask both.', calls: [delegate('worker'), delegate('writer')] },
        { reply: 'All is done.' },
      ],
      worker: [{ calls: [{ tool: 'list_directory', input: { path: '.' } }] }, report('I looked.')],
      writer: [
        { calls: [{ tool: 'write_file', input: { path: 'out.txt', content: 'written\n' } }] },
        report('I wrote.'),
      ],
    },
  },
}

test('a run prints one line per event, then the report, its cost and its place', async () => {
  const project = createProject(team)
  const { code, stdout, stderr } = await project.cadre([
    'run',
    '--allow',
    'write',
    '--model',
    'scripted:playbook.yaml',
    'Do',
    'it.',
  ])
  expect([code, stdout]).toEqual([0, 'All is done.\n'])
  expect(stderr).toMatch(/^lead: started \(session lead-\w{8}\) Do it\.$/m)
  expect(stderr).toMatch(/^lead: → delegateWork worker$/m)
  expect(stderr).toMatch(/^writer: → write_file out\.txt$/m)
  expect(stderr).toMatch(/^writer: ← write_file out\.txt done$/m)
  expect(stderr).toMatch(/^lead: completed/m)
  expect(stderr).toMatch(/\ncompleted · 3 sessions · \d+ calls/)
  expect(stderr).toMatch(/\.cadre\/sessions\/lead-\w+\.session\.yaml\n$/)
  expect(project.read('out.txt')).toBe('written\n')
  expect(stderr).not.toContain('\x1b')
})

test('--json prints one event per line, and the report last', async () => {
  const { code, json, stderr } = await createProject(team).cadre([
    'run',
    '--json',
    '--allow',
    'write',
    '--model',
    'scripted:playbook.yaml',
    'Do it.',
  ])
  const lines = json()
  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(lines[0]).toMatchObject({ type: 'session.started', agent: 'lead', work: 'Do it.', seq: 1 })
  expect(lines.at(-2)).toMatchObject({ type: 'session.ended' })
  expect(lines.at(-1)).toMatchObject({
    type: 'report',
    status: 'completed',
    text: 'All is done.',
    sessions: 3,
  })
  const numbers = lines.slice(0, -1).map(({ seq }) => seq as number)
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
})

test('the message can come from standard input', async () => {
  const project = createProject({ 'p.yaml': { lanes: { '*': [{ reply: 'You said: {{work}}' }] } } })
  const { json } = await project.cadre(['run', '--json', '--model', 'scripted:p.yaml', '-'], {
    input: 'line 1\nline 2\n',
  })
  expect(json().at(-1)).toMatchObject({ text: 'You said: line 1\nline 2\n' })
})

const speak = { lanes: { '*': [{ reply: 'I am {{agent}}.' }] } }

test.each([
  ['the plain assistant if there are no agents', {}, [], 'assistant'],
  ['the only agent', agentFile('reviewer'), [], 'reviewer'],
  [
    'the agent that a person may start',
    { ...agentFile('a', { user_invocable: false }), ...agentFile('b') },
    [],
    'b',
  ],
  ['the lead', { ...agentFile('a'), ...agentFile('coordinator'), ...agentFile('z') }, [], 'coordinator'],
  ['the plain assistant if there is no lead', { ...agentFile('a'), ...agentFile('b') }, [], 'assistant'],
  [
    'the configured agent',
    { ...agentFile('a'), ...agentFile('lead'), '.cadre/config.yaml': { entry: 'a' } },
    [],
    'a',
  ],
  ['the named agent', { ...agentFile('a'), ...agentFile('lead') }, ['--agent', 'a'], 'a'],
])('starts %s', async (_, files, flags, agent) => {
  const project = createProject({ ...files, 'p.yaml': speak })
  const { json } = await project.cadre(['run', '--json', '--model', 'scripted:p.yaml', ...flags, 'x'])
  expect(json().at(-1)).toMatchObject({ type: 'report', agent, text: `I am ${agent}.` })
})

test('rejects an unknown agent with the nearest name', async () => {
  const project = createProject({ ...agentFile('reviewer'), ...agentFile('writer'), 'p.yaml': speak })
  const { code, stderr } = await project.cadre([
    'run',
    '--model',
    'scripted:p.yaml',
    '--agent',
    'reviewr',
    'x',
  ])
  expect(stderr).toMatch(/^cadre: there is no agent named "reviewr"\. Did you mean reviewer\?/)
  expect(code).toBe(2)
})

test('applies limits from flags', async () => {
  const loop = {
    lanes: {
      '*': [{ calls: [{ tool: 'list_directory', input: { path: '.' } }], repeat: 9 }, { reply: 'end' }],
    },
  }
  const project = createProject({ 'p.yaml': loop })
  const rounds = await project.cadre(['run', '--json', '--model', 'scripted:p.yaml', '--max-turns', '2', 'x'])
  expect(rounds.json().at(-1)).toMatchObject({ status: 'incomplete', notices: [{ code: 'max_rounds' }] })
  expect(rounds.code).toBe(1)
  const budget = await project.cadre([
    'run',
    '--json',
    '--model',
    'scripted:p.yaml',
    '--budget-tokens',
    '10',
    'x',
  ])
  expect(budget.json().at(-1)).toMatchObject({ status: 'incomplete', notices: [{ code: 'budget_exceeded' }] })
})

test('--budget-tokens ends the run before it spends more, and the output, the JSON and the exit code report it', async () => {
  const dear = { usage: { input: 3_000, output: 300 } }
  const look = { calls: [{ tool: 'list_directory', input: { path: '.' } }], ...dear }
  const project = createProject({ 'p.yaml': { lanes: { '*': [look, { reply: 'done', ...dear }] } } })
  const run = (...flags: string[]) =>
    project.cadre(['run', '--model', 'scripted:p.yaml', '--budget-tokens', ...flags, 'x'])
  const text = await run('300')
  expect(text.stderr).toMatch(
    /note: the budget of assistant \(300 tokens\) does not allow another request: 0 tokens are spent, and the next request can use \d+. Raise the budget to continue\nincomplete · /,
  )
  expect(text.code).toBe(1)
  const machine = await run('300', '--json')
  expect(machine.json().at(-1)).toMatchObject({
    type: 'report',
    status: 'incomplete',
    usage: { input: 0, output: 0 },
    notices: [{ code: 'budget_exceeded', message: expect.stringContaining('300 tokens') }],
  })
  expect(machine.code).toBe(1)
  const later = await run('40000', '--json')
  expect(later.json().at(-1)).toMatchObject({ status: 'completed', usage: { input: 6_000, output: 600 } })
  expect(later.code).toBe(0)
})

test('a run that completes reports calls that were denied because of its budget', async () => {
  const look = { calls: [{ tool: 'list_directory', input: { path: '.' } }], repeat: 3 }
  const project = createProject({
    'p.yaml': { lanes: { '*': [look, { reply: 'done' }] } },
    '.claude/agents/boss.md': '---\nname: boss\ndescription: d\nbudget: {calls: 2}\n---\nWork.\n',
  })
  const run = (...flags: string[]) =>
    project.cadre(['run', '--model', 'scripted:p.yaml', '--agent', 'boss', ...flags, 'x'])
  const message = '1 call was denied: the budget of boss is used up (2 calls)'
  expect((await run()).stderr).toContain(`note: ${message}\ncompleted`)
  expect((await run('--json')).json().at(-1)).toMatchObject({
    status: 'completed',
    notices: [{ code: 'budget', message }],
  })
})

test('--no-subagents applies to the run', async () => {
  const project = createProject(team)
  const { json } = await project.cadre([
    'run',
    '--json',
    '--no-subagents',
    '--model',
    'scripted:playbook.yaml',
    'Do it.',
  ])
  const settled = json().filter(({ type }) => type === 'call.settled')
  expect(settled.map(({ outcome }) => outcome)).toEqual(['refused', 'refused'])
  expect(json().at(-1)).toMatchObject({ sessions: 1 })
})

test('detects the type of an image from its content', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const project = createProject({ 'p.yaml': speak })
  project.write('no-ending', '')
  const { writeFileSync } = await import('node:fs')
  writeFileSync(project.at('picture'), png)
  const { json } = await project.cadre([
    'run',
    '--json',
    '--model',
    'scripted:p.yaml',
    '--image',
    'picture',
    'x',
  ])
  const { session } = json().at(-1) as { session: string }
  expect(project.read(`.cadre/sessions/${session}.session.yaml`)).toContain('image/png')
  const wrong = await project.cadre(['run', '--model', 'scripted:p.yaml', '--image', 'no-ending', 'x'])
  expect(wrong.stderr).toContain('no-ending: not a PNG, JPEG, GIF or WebP image')
  expect(wrong.code).toBe(2)
})

test.each([
  [
    'a failing model',
    { fail: 'the server is down' },
    [],
    5,
    { status: 'error', notices: [{ code: 'backend', message: 'the server is down' }] },
  ],
  [
    'an exhausted round limit',
    { calls: [{ tool: 'list_directory', input: { path: '.' } }] },
    ['--max-turns', '1'],
    1,
    { status: 'incomplete' },
  ],
  ['completed work', { reply: 'done' }, [], 0, { status: 'completed' }],
])('%s exits with its own code, and prints the report last', async (_, step, flags, code, end) => {
  const project = createProject({ 'p.yaml': { lanes: { '*': [step] } } })
  const ended = await project.cadre(['run', '--json', '--model', 'scripted:p.yaml', ...flags, 'x'])
  expect(ended.json().at(-1)).toMatchObject({ type: 'report', ...end })
  expect(ended.code).toBe(code)
})
