import {
  applyToView,
  CadreError,
  emptyView,
  eventsOf,
  handoffHistory,
  type Message,
  type Report,
} from '@cadre/core'
import { call, createTestTeam, fail, say, type TestTeam, type TestTeamOptions } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { countingTools } from './tools.ts'
import { worlds } from './worlds.ts'

const never = new AbortController().signal
const work = (agentName: string) =>
  ['delegateWork', { agentName, workDescription: 'w', reportExpectations: 'r' }] as const
const contents = (messages: readonly Message[] | undefined) => messages?.map(({ content }) => content)

async function storedOf(team: TestTeam, { session }: Report) {
  const stored = await team.engine.read(session)
  if (stored === undefined) throw new Error(`there is no session ${session}`)
  return stored
}

async function continueSession(
  team: TestTeam,
  session: string,
  said: string,
  openCalls?: 'leave',
): Promise<Report> {
  const result = await team.orchestrator.resume(
    session,
    { work: said, ...(openCalls && { openCalls }) },
    never,
  )
  if (result.kind === 'waiting') throw new Error('it waits for a person')
  return result.report
}

describe.each(worlds)('on $name', ({ create }) => {
  async function open(options: Omit<TestTeamOptions, 'engine' | 'clock'>): Promise<TestTeam> {
    const world = create()
    onTestFinished(() => world.dispose())
    return createTestTeam({ ...options, engine: await world.open(), clock: world.clock })
  }

  test('a conversation is handed over, and handed over again without duplicates', async () => {
    const { tools } = countingTools()
    const team = await open({
      agents: [{ name: 'plan' }, { name: 'build' }, { name: 'check' }],
      tools,
      lanes: {
        plan: [
          { ...call(['look', { path: 'a' }]), content: 'I look.' },
          say('The plan.'),
          say('A better plan.'),
        ],
        build: [say('It is built.')],
        check: [say('It is right.')],
      },
    })
    const first = await team.report({ agent: 'plan', work: 'Plan it.' })
    const planned = await continueSession(team, first.session, 'Better.')
    const history = handoffHistory(await storedOf(team, planned))
    expect(history).toEqual([
      { role: 'user', content: 'Plan it.' },
      { role: 'assistant', content: 'I look.\n\nThe plan.' },
      { role: 'user', content: 'Better.' },
      { role: 'assistant', content: 'A better plan.' },
    ])

    const built = await team.report({ agent: 'build', work: 'Build it.', history })
    expect(built).toMatchObject({
      status: 'completed',
      text: 'It is built.',
      usage: { input: 10, output: 5 },
    })
    const asked = team.models.requests.at(-1)
    expect(asked?.round).toBe(1)
    expect(contents(asked?.messages)).toEqual([...history.map(({ content }) => content), 'Build it.'])

    const longer = handoffHistory(await storedOf(team, built))
    expect(longer).toEqual([
      ...history,
      { role: 'user', content: 'Build it.' },
      { role: 'assistant', content: 'It is built.' },
    ])
    const checked = await team.report({ agent: 'check', work: 'Check it.', history: longer })
    expect(handoffHistory(await storedOf(team, checked))).toHaveLength(longer.length + 2)
  })

  test('earlier messages are no round, event or text of the session that takes over', async () => {
    const team = await open({
      agents: [{ name: 'build', limits: { maxTurns: 1 } }],
      lanes: { build: [{ kind: 'failed', code: 'backend', message: 'down' }] },
    })
    const history = [
      { role: 'user', content: 'Plan it.' },
      { role: 'assistant', content: 'The plan.' },
    ] as const
    const report = await team.report({ agent: 'build', work: 'Build it.', history })
    expect(report).toMatchObject({ status: 'error', text: '' })
    const live = emptyView()
    for (const event of team.events) applyToView(live, event)
    const read = emptyView()
    for (const event of eventsOf(await storedOf(team, report))) applyToView(read, event)
    expect(read.sessions.get(report.session)?.rounds.map(({ reply }) => reply)).toEqual([])
    expect(live.sessions.get(report.session)?.report).toEqual(read.sessions.get(report.session)?.report)
  })

  test('a summary contains the start and the result of the conversation, however often it is handed over', async () => {
    const team = await open({
      agents: [{ name: 'plan' }, { name: 'build' }, { name: 'check' }],
      lanes: {
        plan: [say('The plan.\n\nThe request:\n> no')],
        build: [say('It is built.')],
        check: [say('Right.')],
      },
    })
    const planned = await team.report({ agent: 'plan', work: 'Plan it.\n\nThe last report, by x:\nWell.' })
    const history = handoffHistory(await storedOf(team, planned), 'summary')
    expect(history).toHaveLength(1)
    const [short] = history
    expect(short?.role).toBe('user')
    expect(short?.content).toContain('> Plan it.\n>\n> The last report, by x:\n> Well.')
    expect(short?.content).toContain('The last report, by plan:\n> The plan.')

    const built = await team.report({ agent: 'build', work: 'Build it.', history })
    const [again] = handoffHistory(await storedOf(team, built), 'summary')
    expect(again?.content).toBe(
      short?.content.replace(/The last report, by plan:.*$/s, 'The last report, by build:\n> It is built.'),
    )
    expect(handoffHistory(await storedOf(team, built), 'none')).toEqual([])
  })

  test('a turn that ends before any reply has no report, and its summary has the earlier messages', async () => {
    const team = await open({ agents: [{ name: 'solo' }], lanes: { solo: [say('one'), fail('down')] } })
    const first = await team.report({ agent: 'solo', work: 'first' })
    const second = await continueSession(team, first.session, 'second')
    expect(second).toMatchObject({ status: 'error', text: '' })
    expect(handoffHistory(await storedOf(team, second), 'summary')[0]?.content).toContain('> one')
  })

  test('a summary is bounded, and reports how much is omitted', async () => {
    const team = await open({ agents: [{ name: 'plan' }], lanes: { plan: [say('𝄞'.repeat(100_000))] } })
    const planned = await team.report({ agent: 'plan', work: 'x'.repeat(100_000) })
    const [short] = handoffHistory(await storedOf(team, planned), 'summary')
    expect(short?.content.length).toBeLessThan(17_000)
    expect(short?.content).toContain('[… 96000 more characters]')
    expect(short?.content.isWellFormed()).toBe(true)
  })

  test('if older rounds were summarised for the model, that summary is handed over, not all of it', async () => {
    const { tools } = countingTools()
    const look = {
      ...call(['look', { path: 'a', size: 3_900 }]),
      content: 'I look.',
      usage: { input: 0, output: 0 },
    }
    const team = await open({
      agents: [{ name: 'plan' }],
      tools,
      model: { window: 8_000 },
      limits: { identicalCalls: 0 },
      lanes: { plan: [...Array.from({ length: 25 }, () => look), say('The plan.')] },
    })
    const planned = await team.report({ agent: 'plan', work: 'Plan it.' })
    const history = handoffHistory(await storedOf(team, planned))
    expect(history.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(history[0]?.content).toMatch(
      /^Plan it\.\n\nEarlier in this session .*a summary of what was done$/s,
    )
    expect(history[1]?.content).toMatch(/The plan\.$/)
    expect(history[1]?.content.match(/I look\./g)?.length).toBeLessThan(25)
  })

  test('a handover mentions images but does not include them, and omits messages of Cadre', async () => {
    const team = await open({ agents: [{ name: 'plan' }], lanes: { plan: [say(''), say('A cat.')] } })
    const seen = await team.report({
      agent: 'plan',
      work: { content: 'What is it?', images: [{ mime: 'image/png', data: 'aGk=' }] },
    })
    expect(handoffHistory(await storedOf(team, seen))).toEqual([
      { role: 'user', content: 'What is it?\n\n[an image was shown here]' },
      { role: 'assistant', content: 'A cat.' },
    ])
  })

  test('after a stop, a new message is answered immediately: open calls are reported as stopped and not continued', async () => {
    const { tools, done } = countingTools()
    const stop = new AbortController()
    const team = await open({
      agents: [{ name: 'lead' }, { name: 'stuck' }],
      tools,
      lanes: {
        lead: [
          call(
            work('stuck'),
            ['note', { text: 'kept' }],
            ['delegate_task', { prompt: 'p', subagent_type: 'stuck' }],
          ),
          (request) => say(contents(request.messages.slice(2))?.join('|') ?? ''),
        ],
        stuck: [
          { ...call(['look', { path: 'a' }]), content: 'half of it' },
          () => {
            queueMicrotask(() => stop.abort())
            return 'hang'
          },
        ],
      },
    })
    const stopped = await team.report({ agent: 'lead' }, stop.signal)
    expect(stopped.status).toBe('cancelled')
    const asked = team.models.requests.length
    const report = await continueSession(team, stopped.session, 'Do something else.', 'leave')
    expect(report.status).toBe('completed')
    // Only the lead got a request, and only once.
    expect(team.models.requests.slice(asked).map(({ agent }) => agent)).toEqual(['lead'])
    expect(report.text).toContain('stuck was cancelled. Its text so far:\n\nhalf of it')
    expect(report.text).toContain('noted kept')
    expect(report.text).toContain('The user stopped the delegated tasks')
    expect(report.text.endsWith('|Do something else.')).toBe(true)
    expect(done).toEqual(['note kept'])
    // The cost of the stopped children is included: three sessions, and two rounds of each child and of the lead.
    expect(report.sessions).toBe(3)
    expect(report.usage.input).toBeGreaterThanOrEqual(40)
    const settled = team.events.filter((event) => event.type === 'call.settled')
    expect(settled.map(({ outcome }) => outcome)).toContain('cancelled')
  })

  test('after a stop, an effect that may have happened is reported as in doubt with the next message', async () => {
    const stop = new AbortController()
    const { tools } = countingTools()
    const launch = tools.find(({ name }) => name === 'launch') as (typeof tools)[number]
    const team = await open({
      agents: [{ name: 'solo' }],
      tools: [
        {
          ...launch,
          run: () => {
            queueMicrotask(() => stop.abort())
            return Promise.reject(new Error('stopped'))
          },
        },
      ],
      lanes: { solo: [call(['launch', { what: 'it' }]), say('ok')] },
    })
    const stopped = await team.report({ agent: 'solo' }, stop.signal)
    expect(stopped.status).toBe('cancelled')
    const report = await continueSession(team, stopped.session, 'Stop that.', 'leave')
    expect(report.status).toBe('completed')
    const [, , result] = contents(team.models.requests.at(-1)?.messages) ?? []
    expect(result).toContain('it may have been carried out')
  })

  test('a run without delegation stays one when it is continued, and delegation can be disabled later', async () => {
    const lanes = {
      lead: [say('one'), call(work('worker')), say('two'), call(work('worker')), say('three')],
      worker: [call(['reportOut', { report: 'done' }])],
    }
    const agents = [{ name: 'lead' }, { name: 'worker' }]
    const team = await open({ agents, lanes })
    const first = await team.report({ agent: 'lead', delegation: false })
    expect(await continueSession(team, first.session, 'more')).toMatchObject({ text: 'two', sessions: 1 })

    const other = await open({ agents, lanes })
    const free = await other.report({ agent: 'lead' })
    const limits = { work: 'more', delegation: false } as const
    expect(await other.orchestrator.resume(free.session, limits, never)).toMatchObject({
      report: { text: 'two', sessions: 1 },
    })
    expect(other.models.requests.at(-1)?.tools.map(({ name }) => name)).not.toContain('delegateWork')
    expect(await continueSession(other, free.session, 'and more')).toMatchObject({
      text: 'three',
      sessions: 2,
    })
  })

  test('a message to a session that could not be opened is not delivered later', async () => {
    const world = create()
    onTestFinished(() => world.dispose())
    const engine = await world.open()
    let isOwned = false
    let isDown = true
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      lanes: { solo: [() => (isDown ? fail('down') : say('one'))] },
      clock: world.clock,
      engine: {
        attach: (runner) => engine.attach(runner),
        read: (id) => engine.read(id),
        open: (spec) =>
          isOwned ? Promise.reject(new CadreError('owned', 'by another process')) : engine.open(spec),
      },
    })
    const { session } = await team.report({ agent: 'solo' })
    isOwned = true
    await expect(continueSession(team, session, 'too early')).rejects.toThrow('by another process')
    isOwned = false
    isDown = false
    await team.orchestrator.resume(session, {}, never)
    expect(contents(team.models.requests.at(-1)?.messages)).toEqual(['do it'])
  })

  test('the plain model gets the earlier messages', async () => {
    const team = await open({
      agents: [{ name: 'solo', models: ['other'] }],
      model: { catalogue: ['scripted', 'other'] },
      lanes: { solo: [{ kind: 'failed', code: 'backend', message: 'down' }], plain: [say('I know.')] },
    })
    const history = [
      { role: 'user', content: 'Remember 7.' },
      { role: 'assistant', content: 'I will.' },
    ] as const
    expect(await team.report({ agent: 'solo', work: 'What?', history })).toMatchObject({ agent: 'plain' })
    expect(contents(team.models.requests.at(-1)?.messages)).toEqual(['Remember 7.', 'I will.', 'What?'])
  })
})
