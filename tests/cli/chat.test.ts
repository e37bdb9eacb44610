import { expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import type { Ended } from './support/cadre.ts'
import { agentFile, createProject, delegate, deployTool, type Project, report } from './support/project.ts'

const test = sampled(5)

const model = ['--model', 'scripted:p.yaml']

function chat(project: Project, input: string, ...flags: string[]): Promise<Ended> {
  return project.cadre(['chat', ...model, '--json', ...flags], { input })
}

function reportsOf(ended: Ended) {
  return ended.json().filter(({ type }) => type === 'report') as {
    text: string
    session: string
    agent: string
  }[]
}

const speaks = { lanes: { '*': { default: { reply: '{{agent}} {{round}}: {{last}}' } } } }

test('messages of one chat are one session with memory; the exit code is that of the last turn', async () => {
  const project = createProject({
    ...agentFile('lead'),
    'p.yaml': {
      lanes: {
        lead: [
          { reply: 'Noted.' },
          { expect: { history: 'Remember the number 7.', last: 'Which number?' }, reply: 'It is 7.' },
          { fail: 'the server is down' },
        ],
      },
    },
  })
  const two = await chat(project, 'Remember the number 7.\nWhich number?\n')
  expect(reportsOf(two).map(({ text }) => text)).toEqual(['Noted.', 'It is 7.'])
  expect(two.code).toBe(0)
  expect(two.stderr).toBe('')
  expect(project.sessions()).toHaveLength(1)

  const plain = await project.cadre(['chat', ...model, '--resume'], { input: 'And now?\n' })
  expect(plain.stdout).toContain('the server is down')
  // The text of the previous turn is not repeated.
  expect(plain.stdout).not.toContain('It is 7.')
  expect(plain.stdout).toMatch(/cadre chat --resume lead-\w+/)
  expect(plain.stdout).not.toContain('\x1b')
  expect(plain.stdout).not.toContain('lead> ')
  expect(plain.code).toBe(5)
  expect(project.sessions()).toHaveLength(1)
})

test('an empty line and /quit end it, a trailing backslash continues, and escapes are removed', async () => {
  const project = createProject({ ...agentFile('lead'), 'p.yaml': speaks })
  const input = [
    'one \\',
    'more',
    '//not a command',
    '\\@nobody',
    '\\1',
    'it ends with \\\\',
    '',
    'never said',
    '',
  ].join('\n')
  const ended = await chat(project, input)
  expect(reportsOf(ended).map(({ text }) => text)).toEqual([
    'lead 1: one \nmore',
    'lead 2: /not a command',
    'lead 3: @nobody',
    'lead 4: 1',
    'lead 5: it ends with \\\\',
  ])
  const quit = await chat(project, 'hello\n/quit\nnever said\n')
  expect(reportsOf(quit)).toHaveLength(1)
  expect((await chat(project, '')).code).toBe(0)
})

const handoffs = [
  { label: 'Start', agent: 'BUILDER', prompt: 'Build it.', send: true },
  { label: 'Short', agent: 'builder', prompt: 'Build it, in short.', send: true, context: 'summary' },
  {
    label: 'Blank',
    agent: 'builder',
    prompt: 'Build something.',
    send: true,
    context: 'none',
    model: 'small',
  },
  { label: 'Edit', agent: 'builder', prompt: 'Build it\nin two lines.' },
  { label: 'Lost', agent: 'bulder', prompt: 'x', send: true },
  { label: 'Hidden', agent: 'secret', prompt: 'x', send: true },
  { label: 'Empty', agent: 'builder', send: true },
  { label: 'General', agent: 'Agent', prompt: 'Do it.', send: true },
]

const planners = {
  ...agentFile('plan', { handoffs }),
  ...agentFile('builder'),
  ...agentFile('secret', { user_invocable: false }),
  'p.yaml': {
    lanes: {
      plan: { default: { reply: 'The plan {{round}}.' } },
      builder: { default: { reply: '{{round}} first: {{work}} last: {{last}}' } },
      assistant: { default: { reply: 'The assistant did it.' } },
    },
  },
}

test('a handoff passes the conversation to its target: in full, summarised, or not at all', async () => {
  const full = await chat(createProject(planners), 'Plan it.\nBetter.\n1\nAnd?\n', '--agent', 'plan')
  expect(reportsOf(full).map(({ agent, text }) => [agent, text])).toEqual([
    ['plan', 'The plan 1.'],
    ['plan', 'The plan 2.'],
    ['builder', '1 first: Plan it. last: Build it.'],
    ['builder', '2 first: Plan it. last: And?'],
  ])
  expect(full.code).toBe(0)

  const project = createProject(planners)
  const short = await chat(project, 'Plan it.\nBetter.\n/handoff 2\n', '--agent', 'plan')
  const [, , built] = reportsOf(short)
  expect(built?.text).toContain('> Plan it.')
  expect(built?.text).toContain('> The plan 2.')
  expect(built?.text).not.toContain('Better.')
  expect(built?.text).toMatch(/last: .*Build it, in short\.$/s)

  const none = await chat(createProject(planners), 'Plan it.\n3\n', '--agent', 'plan')
  const [, alone] = reportsOf(none) as { text: string; model?: string }[]
  expect(alone?.text).toBe('1 first: Build something. last: Build something.')
  expect(alone?.model).toMatch(/#small$/)
})

test('after a handoff the model gets only the conversation and the prompt', async () => {
  const project = createProject(planners)
  const ended = await chat(project, 'Plan it.\n1\n@plan Check it.\n', '--agent', 'plan')
  const [first, second, third] = reportsOf(ended)
  const shown = await project.cadre(['sessions', 'show', third!.session, '--json'])
  const { entries } = shown.json()[0] as { entries: { role: string; content?: string; earlier?: boolean }[] }
  const said = entries.filter(({ role }) => role === 'user' || role === 'assistant')
  expect(said.map(({ role, content, earlier = false }) => [role, content, earlier])).toEqual([
    ['user', 'Plan it.', true],
    ['assistant', first!.text, true],
    ['user', 'Build it.', true],
    ['assistant', second!.text, true],
    ['user', 'Check it.', false],
    ['assistant', 'The plan 1.', false],
  ])
  const text = await project.cadre(['sessions', 'show', third!.session])
  expect(text.stdout).toMatch(/earlier messages\n {2}user: Plan it\./)
  expect(text.stdout).toContain('round 1')
  expect(text.stdout).not.toContain('round 2')
})

test('a handoff that only fills in sends nothing without a terminal, unless told to', async () => {
  const project = createProject(planners)
  const ended = await chat(project, 'Plan it.\n4\n/handoff 1 fill\n/handoff 4 send\n', '--agent', 'plan')
  expect(ended.json().filter(({ type }) => type === 'filled')).toEqual([
    { type: 'filled', handoff: 4, agent: 'builder', prompt: 'Build it\nin two lines.' },
    { type: 'filled', handoff: 1, agent: 'builder', prompt: 'Build it.' },
  ])
  expect(reportsOf(ended).map(({ text }) => text)).toEqual([
    'The plan 1.',
    '1 first: Plan it. last: Build it\nin two lines.',
  ])
})

test('a handoff to an unknown or restricted agent is reported, and stays available', async () => {
  const project = createProject(planners)
  const input = 'Plan it.\n5\n6\n7\n/handoff 7 send\n/handoff 99\n/handoff x\n8\n5\n'
  const ended = await chat(project, input, '--agent', 'plan')
  const errors = ended.json().filter(({ type }) => type === 'error')
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /^the handoff "Lost" cannot be accepted: there is no agent named "bulder"\. Did you mean builder\?/,
    ),
    expect.stringMatching(/"Hidden" cannot be accepted: only other agents can start agent "secret"/),
    expect.stringContaining('the handoff "Empty" has no message to send'),
    expect.stringContaining('there is no handoff 99: 1 to 8 are available'),
    expect.stringContaining('is not a handoff number. Usage: /handoff'),
  ])
  // If no agent has that name, `agent` is the general one; afterwards 5 is an ordinary message.
  expect(reportsOf(ended).map(({ text }) => text)).toEqual([
    'The plan 1.',
    'The assistant did it.',
    'The assistant did it.',
  ])
  const wrong = await chat(createProject(planners), 'Plan it.\n5\n', '--agent', 'plan')
  expect(wrong.code).toBe(2)
})

test('cadre run explains how to hand over, and that works', async () => {
  const project = createProject(planners)
  const run = await project.cadre(['run', ...model, '--agent', 'plan', 'Plan it.'])
  expect(run.stderr).toContain('  1 Start → BUILDER (sends immediately)\n')
  expect(run.stderr).toContain('  4 Edit → builder\n')
  const [, command] = /cadre (chat --resume plan-\w+)$/m.exec(run.stderr) ?? []
  const taken = await project.cadre([...command!.split(' '), ...model], { input: '1\n' })
  expect(taken.stdout).toContain('1 first: Plan it. last: Build it.')
  expect(taken.code).toBe(0)
})

test('an unknown model of a handoff sends nothing', async () => {
  const project = createProject({
    ...planners,
    'p.yaml': { ...planners['p.yaml'], models: { large: {} }, model: {} },
  })
  const ended = await chat(project, 'Plan it.\n3\n', '--agent', 'plan')
  expect(ended.json().at(-1)).toMatchObject({ type: 'error', code: 'unknown_model' })
  expect(project.sessions()).toHaveLength(1)
})

const crowd = {
  ...agentFile('lead'),
  ...agentFile('reviewer'),
  ...agentFile('sharp', { id: 'C# Expert' }),
  ...agentFile('hidden', { user_invocable: false }),
  'p.yaml': speaks,
}

test('@name continues with that agent, which has the history, and back again', async () => {
  const project = createProject(crowd)
  const input = [
    'One.',
    '@Reviewer Two.',
    'Three.',
    '@"c# expert" Four.',
    '@C# Expert, Five.',
    '@lead',
    'Six.',
    '',
  ].join('\n')
  const ended = await chat(project, input)
  expect(reportsOf(ended).map(({ text }) => text)).toEqual([
    'lead 1: One.',
    'reviewer 1: Two.',
    'reviewer 2: Three.',
    'C# Expert 1: Four.',
    'C# Expert 2: Five.',
    'lead 1: Six.',
  ])
  const last = reportsOf(ended).at(-1)!
  const file = project.read(`.cadre/sessions/${last.session}.session.yaml`)
  for (const said of ['One.', 'Two.', 'Three.', 'Four.', 'Five.']) expect(file).toContain(`: ${said}`)
})

test('@name of an unknown or restricted agent is an error, and nothing is sent', async () => {
  const project = createProject(crowd)
  const ended = await chat(project, 'One.\n@revewer Two.\n@hidden Three.\n/agent nobody\nFour.\n')
  const errors = ended.json().filter(({ type }) => type === 'error')
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringContaining('there is no agent named "revewer". Did you mean reviewer?'),
    expect.stringContaining('only other agents can start agent "hidden"'),
    expect.stringContaining('there is no agent named "nobody"'),
  ])
  expect(reportsOf(ended).map(({ text }) => text)).toEqual(['lead 1: One.', 'lead 2: Four.'])
  expect(ended.code).toBe(0)
})

test.each([
  [['@reviewer', 'Review', 'it.'], 'reviewer 1: Review it.'],
  [['@"C# Expert" Help.'], 'C# Expert 1: Help.'],
  [['@nobody Help.'], 'lead 1: @nobody Help.'],
  [['\\@reviewer Help.'], 'lead 1: @reviewer Help.'],
  [['--agent', 'lead', '@reviewer Help.'], 'lead 1: @reviewer Help.'],
])('cadre run %j', async (words, text) => {
  const { json } = await createProject(crowd).cadre(['run', '--json', ...model, ...words])
  expect(json().at(-1)).toMatchObject({ text })
})

test('cadre run rejects a restricted agent, or an agent without work', async () => {
  const project = createProject(crowd)
  const hidden = await project.cadre(['run', ...model, '@hidden Help.'])
  expect(hidden.stderr).toContain('only other agents can start agent "hidden"')
  expect(hidden.code).toBe(2)
  const empty = await project.cadre(['run', ...model, '@reviewer'])
  expect(empty.stderr).toContain('After reviewer, write what it should do')
  expect(empty.code).toBe(2)
})

test('commands show the state of the chat, and an unknown one is explained', async () => {
  const project = createProject(crowd)
  const input = [
    '/history',
    '/tree',
    'One.',
    '/agents',
    '/history',
    '/tree',
    '/sessions',
    '/model scripted:p.yaml#other',
  ]
  const ended = await chat(project, [...input, 'Two.', '/new', 'Three.', '/sesions', '/help', ''].join('\n'))
  const lines = ended.json()
  const agents = lines.find(({ type }) => type === 'agents') as { agents: { name: string }[] }
  expect(agents.agents.map(({ name }) => name)).toEqual(['C# Expert', 'lead', 'reviewer', 'assistant'])
  expect(lines.filter(({ type }) => type === 'history').map(({ messages }) => messages)).toEqual([
    [],
    [
      { role: 'user', content: 'One.' },
      { role: 'assistant', content: 'lead 1: One.' },
    ],
  ])
  expect(lines.find(({ type }) => type === 'tree')).toMatchObject({
    sessions: [{ agent: 'lead', status: 'completed' }],
  })
  expect(lines.find(({ type }) => type === 'sessions')).toMatchObject({ sessions: [{ agent: 'lead' }] })
  expect(lines.find(({ type }) => type === 'error')).toMatchObject({
    message: expect.stringContaining('unknown command /sesions. Did you mean sessions?'),
  })
  const [first, second, third] = reportsOf(ended) as unknown as {
    session: string
    model: string
    text: string
  }[]
  expect(second).toMatchObject({ session: first!.session, model: expect.stringMatching(/#other$/) })
  expect(third).toMatchObject({ text: 'lead 1: Three.', model: expect.stringMatching(/#other$/) })
  expect(third!.session).not.toBe(first!.session)
  const unknown = await project.cadre(['chat', '--model', 'scripted:p.yaml', '--json'], {
    input: '/model nothing:x\n',
  })
  expect(unknown.json()).toMatchObject([{ type: 'error', code: 'unknown_model' }])
})

const delegating = {
  ...agentFile('lead', { handoffs: [{ label: 'On', agent: 'second', prompt: 'Go on.', send: true }] }),
  ...agentFile('second'),
  ...agentFile('worker'),
  'p.yaml': {
    lanes: {
      lead: { steps: [{ steps: [{ calls: [delegate('worker')] }, { reply: '{{last}}' }], repeat: 9 }] },
      second: { steps: [{ steps: [{ calls: [delegate('worker')] }, { reply: '{{last}}' }], repeat: 9 }] },
      worker: [report('I worked.')],
    },
  },
}

test('--no-subagents applies in the first turn, in later ones, after a handoff and when resumed', async () => {
  const project = createProject(delegating)
  const alone = await chat(project, 'One.\nTwo.\n1\nThree.\n@lead Four.\n', '--no-subagents')
  expect(reportsOf(alone)).toHaveLength(5)
  expect(reportsOf(alone).every(({ text }) => /delegation is disabled for this run/.test(text))).toBe(true)
  expect(project.sessions().filter((id) => id.startsWith('worker'))).toEqual([])
  // It is a property of the conversation: without the flag it still applies, even after a handoff.
  const later = await chat(project, 'Five.\n1\n', '--resume')
  expect(reportsOf(later)).toHaveLength(2)
  expect(project.sessions().filter((id) => id.startsWith('worker'))).toEqual([])

  const other = createProject(delegating)
  const free = await chat(other, 'One.\n')
  expect(reportsOf(free)[0]?.text).toContain('I worked.')
  await chat(other, 'Two.\n1\n', '--resume', '--no-subagents')
  expect(other.sessions().filter((id) => id.startsWith('worker'))).toHaveLength(1)
})

const slow = (worker: object) => ({
  lanes: {
    lead: [
      { reply: 'I ask.', calls: [delegate('quick'), delegate('slow')] },
      { reply: 'It says: {{last}}' },
      { reply: 'And: {{last}}' },
    ],
    quick: [report('quick is done')],
    slow: [worker],
  },
})

/** A chat whose first turn hangs in the middle: one part has reported, another hangs. */
async function hangingChat() {
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('quick'),
    ...agentFile('slow'),
    'p.yaml': slow({ hang: true }),
  })
  const running = project.start(['chat', ...model, '--json'], { input: 'Do it.\nNever sent.\n' })
  const line = (stdout: string, ...parts: string[]) =>
    stdout.split('\n').some((text) => parts.every((part) => text.includes(part)))
  await running.until((stdout) => line(stdout, '"round.started"', '"slow-'))
  await running.until((stdout) => line(stdout, '"call.settled"', '"lead-'))
  const lead = /"session":"(lead-\w+)"/.exec(running.stdout())?.[1] as string
  return { project, running, lead }
}

test('a signal stops the turn and the chat; another message can follow, and stopped work stays stopped', async () => {
  const { project, running, lead } = await hangingChat()
  running.child.kill('SIGINT')
  const stopped = await running.ended()
  expect(stopped.code).toBe(130)
  expect(stopped.stderr).toContain(`cadre chat --resume ${lead}`)
  expect(stopped.json().at(-1)).toMatchObject({ type: 'report', status: 'cancelled' })
  const other = await chat(project, 'Something else.\n', '--resume')
  expect(reportsOf(other)).toMatchObject([{ session: lead, status: 'completed' }])
  expect(reportsOf(other)[0]?.text).toMatch(/slow was cancelled.*Something else\.$/s)
  // No other session was started or continued.
  expect(other.json().filter(({ type }) => type === 'session.started')).toMatchObject([{ session: lead }])
  expect(project.sessions()).toHaveLength(3)
})

test('a stopped turn can be continued', async () => {
  const { project, running, lead } = await hangingChat()
  running.child.kill('SIGINT')
  await running.ended()
  project.write('p.yaml', slow(report('slow is done')))
  const resumed = await chat(project, '/resume\n/resume\n', '--resume', lead.slice(0, -2))
  expect(reportsOf(resumed)).toMatchObject([
    { session: lead, text: expect.stringContaining('slow is done'), status: 'completed' },
  ])
  expect(resumed.json().at(-1)).toEqual({
    type: 'note',
    text: 'The last turn is complete. Type your next message.',
  })
  expect(project.sessions().filter((id) => id.startsWith('quick'))).toHaveLength(1)
})

test('kill -9 loses nothing: the newest conversation continues', async () => {
  const { project, running, lead } = await hangingChat()
  running.child.kill('SIGKILL')
  await running.ended()
  project.write('p.yaml', slow(report('slow is done')))
  const resumed = await chat(project, '/resume\nMore.\n', '--resume')
  expect(reportsOf(resumed).map(({ session, text }) => [session, text])).toEqual([
    [lead, expect.stringContaining('slow is done')],
    [lead, 'And: More.'],
  ])
  expect(project.sessions()).toHaveLength(3)
})

test('after kill -9, a new message does not lose unfinished work', async () => {
  const { project, running } = await hangingChat()
  running.child.kill('SIGKILL')
  await running.ended()
  project.write('p.yaml', slow(report('slow is done')))
  const resumed = await chat(project, 'Hurry.\n', '--resume')
  expect(reportsOf(resumed)[0]?.text).toMatch(/slow is done.*Hurry\.$/s)
})

test('a conversation that another process is running is rejected with code 6', async () => {
  const { project, running, lead } = await hangingChat()
  const second = await project.cadre(['chat', ...model, '--resume'], { input: 'Hello.\n' })
  expect(second.stderr).toContain(`session ${lead} is running in process ${running.pid}`)
  expect(second.code).toBe(6)
  running.child.kill('SIGKILL')
  await running.ended()
})

test('explains what cannot be resumed', async () => {
  const project = createProject({ ...agentFile('lead'), 'p.yaml': speaks })
  const none = await project.cadre(['chat', ...model, '--resume'], { input: 'x\n' })
  expect(none.stderr).toContain('there are no conversations in')
  expect(none.code).toBe(2)
  const unknown = await project.cadre(['chat', ...model, '--resume', 'nobody-1'], { input: 'x\n' })
  expect(unknown.stderr).toContain('there is no session "nobody-1"')
  const moved = await project.cadre(['chat', ...model, '--resume', '--workspace', '.'], { input: 'x\n' })
  expect(moved.stderr).toContain('a conversation keeps its workspace')
  expect(moved.code).toBe(2)
})

test('a pending decision ends with code 3, and /resume continues after it', async () => {
  const project = createProject({
    ...agentFile('lead'),
    ...deployTool,
    'p.yaml': {
      lanes: { lead: [{ calls: [{ tool: 'deploy', input: {} }] }, { reply: 'Result: {{last}}' }] },
    },
  })
  const waiting = await chat(project, 'Deploy it.\n', '--trust')
  expect(waiting.code).toBe(3)
  const { session, questions } = waiting.json().at(-1) as { session: string; questions: { name: string }[] }
  await project.cadre(['sessions', 'answer', session, questions[0]!.name, 'approve'])
  const resumed = await chat(project, '/resume\n', '--resume', '--trust')
  expect(reportsOf(resumed)[0]?.text).toBe('Result: it is live')
  expect(resumed.code).toBe(0)
})

test('after an answer from the plain model, the conversation continues with the intended agent', async () => {
  const project = createProject({
    ...agentFile('lead', { model: 'broken' }),
    'p.yaml': {
      models: { broken: {}, main: {} },
      lanes: {
        plain: [{ reply: 'I stand in.' }],
        lead: {
          sessions: [
            {
              when: 'One.',
              steps: [{ choose: [{ when: { last: 'Two.' }, reply: 'Here I am.' }, { fail: 'down' }] }],
            },
          ],
        },
      },
    },
  })
  const ended = await project.cadre(['chat', '--json'], {
    input: 'One.\nTwo.\n',
    env: { CADRE_MODEL: 'scripted:p.yaml#main' },
  })
  expect(reportsOf(ended).map(({ agent, text }) => [agent, text])).toEqual([
    ['plain', 'I stand in.'],
    ['lead', 'Here I am.'],
  ])
})

test('text of files and models cannot control the terminal', async () => {
  const hostile = 'x\x1b[2J\x1b]0;owned\x07y'
  const project = createProject({
    ...agentFile('lead', {
      description: hostile,
      handoffs: [
        { label: hostile, agent: hostile, prompt: hostile, context: 'full' },
        { label: hostile, agent: 'lead', prompt: hostile },
      ],
    }),
    'p.yaml': { lanes: { '*': { default: { reply: hostile } } } },
  })
  const input = [
    hostile,
    '1',
    '2',
    '/handoff',
    '/handoff 2 send',
    '/agents',
    '/history',
    `@${hostile} x`,
    `/${hostile}`,
    '/tree',
    '',
  ]
  const ended = await project.cadre(['chat', ...model], { input: input.join('\n') })
  expect(ended.stdout).toContain('xy')
  for (const sign of ['\x1b', '\x07']) expect(ended.stdout + ended.stderr).not.toContain(sign)
})

test('a mistyped command does not affect the exit code, an unsent message does', async () => {
  const project = createProject({ ...crowd, 'p.yaml': { lanes: { lead: { default: { reply: 'Hello.' } } } } })
  expect((await chat(project, 'hi\n/foo\n/agent nobody\n/handoff 7\n')).code).toBe(0)
  expect((await chat(project, 'hi\n@nobody hi\n/foo\n')).code).toBe(2)
  const failing = createProject({ ...crowd, 'p.yaml': { lanes: { lead: [{ fail: 'it is down' }] } } })
  expect((await chat(failing, 'hi\n/foo\n')).code).toBe(5)
})

test('/tree shows rounds and calls of the last turn, and nothing after /new; /help is a table', async () => {
  const project = createProject(delegating)
  const { stdout } = await project.cadre(['chat', ...model], { input: 'Go.\n/tree\n/new\n/tree\n/help\n' })
  expect(stdout).toMatch(
    /^✓ lead +lead-\w+ +completed.*\n├─round 1\n│ └─✓ delegateWork worker\n│ {3}└─✓ worker +worker-\w+ +completed/m,
  )
  expect(stdout).toMatch(/New conversation\. Chatting with lead\.\nNo turns yet\.\n/)
  expect(stdout).toMatch(/^ {2}\/handoff \[N\] \[fill\|send\] {2}accept a handoff/m)
  expect(stdout).toMatch(/^ {2}@NAME … {19}switch to that agent/m)
})

test('a handoff to an unknown agent is marked, in a chat and after a run', async () => {
  const project = createProject(planners)
  const run = await project.cadre(['run', ...model, '--agent', 'plan', 'Plan it.'])
  expect(run.stderr).toContain('Lost → bulder (no such agent)\n')
  expect(run.stderr).toContain('1 Start → BUILDER (sends immediately)\n')
  const later = await project.cadre(['chat', ...model, '--resume'], { input: '/handoff\n' })
  expect(later.stdout).toContain('Lost → bulder (no such agent)\n')
  expect(later.stdout.match(/no such agent/g)).toHaveLength(1)
})
