import {
  agentRounds,
  applyToView,
  type CadreEvent,
  callOf,
  emptyView,
  eventsOf,
  type View,
} from '@cadre/core'
import { call, createFakeClock, createMemoryEngine, createTestTeam, say } from '@cadre/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { interleave, liveEvents, randomSession, writeTree } from './random-trees.ts'
import { countingTools } from './tools.ts'
import { fileWorld } from './worlds.ts'

const picks = fc.array(fc.nat(97), { minLength: 1, maxLength: 60 })
const tree = randomSession(4)

function fold(events: readonly CadreEvent[], view: View = emptyView()): View {
  for (const event of events) applyToView(view, event)
  return view
}

describe('the rounds of any tree', () => {
  test('match the events, however those of its sessions are interleaved', () => {
    fc.assert(
      fc.property(tree, picks, (random, order) => {
        const { journals, rounds } = writeTree(random)
        expect(agentRounds(fold(journals.flatMap(eventsOf)), 's0')).toEqual(rounds)
        const view = fold(interleave(journals.map(liveEvents), order))
        expect(agentRounds(view, 's0')).toEqual(rounds)
        expect(view.roots).toEqual(['s0'])
      }),
    )
  })

  test('are the same if every journal is read twice, or single events repeat', () => {
    fc.assert(
      fc.property(tree, picks, picks, (random, order, again) => {
        const { journals, rounds } = writeTree(random)
        const live = interleave(journals.map(liveEvents), order)
        const view = fold(live)
        const before = [...view.sessions.values()].map(({ usage, calls, rounds }) => [
          usage,
          calls,
          rounds.length,
        ])
        for (const at of again) applyToView(view, live[at % live.length] as CadreEvent)
        expect(agentRounds(view, 's0')).toEqual(rounds)
        fold(journals.toReversed().flatMap(eventsOf), view)
        expect(agentRounds(view, 's0')).toEqual(rounds)
        expect(
          [...view.sessions.values()].map(({ usage, calls, rounds }) => [usage, calls, rounds.length]),
        ).toEqual(before)
      }),
    )
  })

  test('are the same for a surface that joins late and reads the journals then, parents first or last', () => {
    fc.assert(
      fc.property(tree, picks, fc.nat(), fc.nat(), fc.boolean(), (random, order, from, read, parentsLast) => {
        const { journals, rounds } = writeTree(random)
        const live = interleave(journals.map(liveEvents), order)
        const joined = from % live.length
        const until = joined + (read % (live.length - joined))
        const view = fold(live.slice(joined, until))
        fold((parentsLast ? journals.toReversed() : journals).flatMap(eventsOf), view)
        fold(live.slice(until), view)
        expect(agentRounds(view, 's0')).toEqual(rounds)
      }),
    )
  })
})

describe('the rounds of a run', () => {
  const task = (subagent_type: string) => ['delegate_task', { subagent_type, prompt: 'p' }] as const
  const work = (agentName: string) =>
    ['delegateWork', { agentName, workDescription: 'w', reportExpectations: 'r' }] as const
  const never = new AbortController().signal
  const done = call(['reportOut', { report: 'r' }])

  test('background and parallel children are below the call that started them', async () => {
    const { tools } = countingTools()
    const team = createTestTeam({
      agents: [{ name: 'lead' }, { name: 'middle', delegates: { kind: 'all' } }, { name: 'leaf' }],
      tools,
      lanes: {
        lead: [call(task('leaf'), work('middle'), work('middle')), say('waits'), say('done')],
        middle: [call(task('leaf')), say('waits'), done, call(work('leaf')), done],
        leaf: [say('background'), say('background'), done],
      },
    })
    const { session } = await team.report({ agent: 'lead' })
    const live = fold(team.events)
    const [first] = agentRounds(live, session)
    expect(
      first?.toolCalls.map(({ status, child }) => [status, live.sessions.get(child ?? '')?.agent]),
    ).toEqual([
      ['done', 'leaf'],
      ['done', 'middle'],
      ['done', 'middle'],
    ])
    const below = first?.subAgentRounds ?? []
    expect(new Set(below.map((round) => `${round.session}/${round.roundId}`)).size).toBe(below.length)
    expect(
      below.filter(({ agent }) => agent === 'middle').flatMap((round) => round.subAgentRounds),
    ).toHaveLength(2)
    const read = emptyView()
    for (const id of live.sessions.keys()) fold(eventsOf((await team.engine.read(id)) as never), read)
    expect(agentRounds(read, session)).toEqual(agentRounds(live, session))
  })

  test('a cancellation marks every open call at every depth as cancelled; resumed, they run and are settled', async () => {
    const { tools } = countingTools()
    const clock = createFakeClock()
    const engine = createMemoryEngine({ clock })
    const options = {
      clock,
      tools,
      agents: [{ name: 'lead' }, { name: 'middle', delegates: { kind: 'all' } as const }, { name: 'leaf' }],
    }
    const stop = new AbortController()
    const first = createTestTeam({
      ...options,
      engine,
      lanes: { lead: [call(work('middle'))], middle: [call(work('leaf'))], leaf: [call(['hang', {}])] },
    })
    const started = first.run({ agent: 'lead' }, stop.signal)
    const view = emptyView()
    while (!first.events.some((event) => event.type === 'call.started' && event.tool === 'hang'))
      await new Promise(setImmediate)
    const running = fold(first.events, emptyView())
    expect(agentRounds(running, 'lead-1')[0]?.toolCalls[0]?.status).toBe('running')
    stop.abort()
    await started
    fold(first.events, view)
    const statuses = () =>
      [...view.sessions.values()].flatMap(({ rounds }) =>
        rounds.flatMap(({ toolCalls }) => toolCalls.map((made) => made.status)),
      )
    expect(statuses()).toEqual(['cancelled', 'cancelled', 'cancelled'])
    const second = createTestTeam({
      ...options,
      tools: tools.map((tool) =>
        tool.name === 'hang' ? { ...tool, run: async () => ({ content: 'woke' }) } : tool,
      ),
      engine: createMemoryEngine({ clock, records: engine.records }),
      // A line for each round, including those of the first life.
      lanes: { lead: [say(''), say('done')], middle: [say(''), done], leaf: [say(''), done] },
    })
    const result = await second.orchestrator.resume('lead-1', {}, never)
    expect(result).toMatchObject({ report: { status: 'completed' } })
    // The same view receives the events of the second life.
    fold(second.events, view)
    const ids = agentRounds(view, 'lead-1').map(({ roundId }) => roundId)
    expect(ids).toEqual([1, 2])
    expect(new Set(statuses())).toEqual(new Set(['done']))
    const read = emptyView()
    for (const id of view.sessions.keys()) fold(eventsOf((await second.engine.read(id)) as never), read)
    expect(agentRounds(read, 'lead-1')).toEqual(agentRounds(view, 'lead-1'))
  })

  test('messages of an earlier conversation are not rounds of the session', async () => {
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      lanes: { solo: [say('new'), say('again')] },
    })
    const history = [
      { role: 'user', content: 'old question' },
      { role: 'assistant', content: 'old answer' },
    ] as const
    const { session } = await team.report({ agent: 'solo', work: 'w', history })
    await team.orchestrator.resume(session, { work: 'w' }, never)
    const journal = (await team.engine.read(session)) as never
    const [live, read] = [fold(team.events), fold(eventsOf(journal))]
    expect(agentRounds(read, session)).toEqual(agentRounds(live, session))
    expect(agentRounds(read, session).map(({ roundId, reply }) => [roundId, reply])).toEqual([
      [1, 'new'],
      [2, 'again'],
    ])
    const messages = eventsOf(journal).flatMap((event) =>
      event.type === 'message.added' ? [event.text] : [],
    )
    expect(messages).toEqual(['w'])
  })

  test('a failed request is not a round', async () => {
    let isDown = true
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      lanes: {
        solo: [
          say('one'),
          () => (isDown ? { kind: 'failed', code: 'backend', message: 'down' } : say('two')),
        ],
      },
    })
    const { session } = await team.report({ agent: 'solo' })
    await team.orchestrator.resume(session, { work: 'more' }, never)
    expect(agentRounds(fold(team.events), session)).toHaveLength(1)
    isDown = false
    await team.orchestrator.resume(session, {}, never)
    const live = fold(team.events)
    expect(agentRounds(live, session).map(({ reply }) => reply)).toEqual(['one', 'two'])
    expect(agentRounds(fold(eventsOf((await team.engine.read(session)) as never)), session)).toEqual(
      agentRounds(live, session),
    )
  })

  test('rounds that a person removed from the record are also gone from the tree', async () => {
    const { readFileSync, writeFileSync } = await import('node:fs')
    const world = fileWorld()
    const { tools } = countingTools()
    const file = `${world.folder}/sessions/solo-1.session.yaml`
    const look = (path: string) => call(['look', { path }])
    let isCut = false
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      tools,
      clock: world.clock,
      engine: await world.open(),
      lanes: {
        solo: [
          look('a'),
          () => (isCut ? say('end') : look('b')),
          look('c'),
          () => {
            isCut = true
            const text = readFileSync(file, 'utf8')
            writeFileSync(file, text.slice(0, text.indexOf('  - seq: 5\n')))
            return look('d')
          },
        ],
      },
    })
    const { session } = await team.report({ agent: 'solo' })
    const live = fold(team.events)
    const read = fold(eventsOf((await team.engine.read(session)) as never))
    await world.dispose()
    expect(agentRounds(live, session)).toEqual(agentRounds(read, session))
    expect(
      agentRounds(live, session).map(({ roundId, toolCalls }) => [roundId, toolCalls[0]?.input]),
    ).toEqual([
      [1, '{"path":"a"}'],
      [2, undefined],
    ])
    expect(live.sessions.get(session)).toMatchObject({ calls: 1, usage: read.sessions.get(session)?.usage })
  })
})

describe('what files can contain', () => {
  const at = new Date(0).toISOString()
  const start = (session: string, parent?: string): CadreEvent => ({
    type: 'session.started',
    agent: session,
    model: 'm',
    work: 'w',
    root: 'a',
    depth: 0,
    ...(parent && { parent: { session: parent, call: 'c' } }),
    seq: 0,
    at,
    session,
  })
  const reply = (session: string): CadreEvent => ({
    type: 'reply.received',
    round: 1,
    text: '',
    calls: [{ id: 'c', name: 't', input: '' }],
    seq: 1,
    at,
    session,
  })

  test('sessions that claim to be each other’s parents do not loop forever', () => {
    for (const events of [[start('a', 'b'), start('b', 'a')], [start('a', 'a')]]) {
      const view = fold([...events, reply('a'), reply('b')])
      expect(agentRounds(view, 'a').length).toBe(1)
    }
  })

  test('of two children of one call, the one that the call names is used', () => {
    const view = fold([
      start('a'),
      reply('a'),
      start('b', 'a'),
      start('copy', 'a'),
      reply('b'),
      reply('copy'),
      { type: 'call.started', call: 'c', tool: 't', child: 'b', seq: 2, at, session: 'a' },
    ])
    expect(agentRounds(view, 'a')[0]?.subAgentRounds.map(({ session }) => session)).toEqual(['b'])
  })

  test('empty fields do not replace earlier values; the status is always the newest', () => {
    const settled = (outcome: 'failed' | 'done', content: string, code?: string): CadreEvent => ({
      type: 'call.settled',
      call: 'c',
      outcome,
      content,
      ...(code && { code }),
      seq: 3,
      at,
      session: 'a',
    })
    const view = fold([start('a'), reply('a'), settled('failed', 'why', 'timeout'), settled('failed', '')])
    expect(callOf(view, 'a', 'c')).toEqual({
      id: 'c',
      settledAt: new Date(0).toISOString(),
      name: 't',
      input: '',
      status: 'failed',
      content: 'why',
      code: 'timeout',
    })
    applyToView(view, settled('done', 'fine'))
    expect(callOf(view, 'a', 'c')).toMatchObject({ status: 'done', content: 'fine' })
    expect(callOf(view, 'a', 'c')).not.toHaveProperty('code')
    expect(view.sessions.get('a')?.calls).toBe(1)
  })

  test('ids that another program reuses in each reply are separate calls', () => {
    const view = fold([
      start('a'),
      reply('a'),
      { ...reply('a'), round: 2 } as CadreEvent,
      { ...reply('a'), round: 1 } as CadreEvent,
    ])
    expect(view.sessions.get('a')?.rounds.map(({ toolCalls }) => toolCalls.length)).toEqual([1, 1])
  })
})

test('adding an event costs the same in round 1 and in round 20,000', () => {
  let looked = 0
  const at = new Date(0).toISOString()
  const view = fold([
    {
      type: 'session.started',
      agent: 'a',
      model: 'm',
      work: 'w',
      root: 's',
      depth: 0,
      seq: 0,
      at,
      session: 's',
    },
  ])
  const add = (round: number) => {
    const id = `c${round}`
    const calls = [{ id, name: 't', input: '' }]
    fold(
      [
        { type: 'round.started', round, seq: 1, at, session: 's' },
        { type: 'reply.received', round, text: '', calls, seq: 2, at, session: 's' },
        { type: 'call.started', call: id, tool: 't', seq: 3, at, session: 's' },
        { type: 'call.settled', call: id, outcome: 'done', content: 'x', seq: 4, at, session: 's' },
      ],
      view,
    )
  }
  for (let round = 1; round <= 20_000; round++) add(round)
  // Searching earlier rounds for a call would touch them: none may be touched.
  for (const round of view.sessions.get('s')?.rounds ?? []) {
    const { toolCalls } = round
    Object.defineProperty(round, 'toolCalls', {
      get() {
        looked += 1
        return toolCalls
      },
    })
  }
  for (let round = 20_001; round <= 20_010; round++) add(round)
  applyToView(view, {
    type: 'session.ended',
    report: {
      type: 'report',
      session: 's',
      agent: 'a',
      status: 'completed',
      text: '',
      model: 'm',
      usage: { input: 0, output: 0 },
      sessions: 1,
      calls: 0,
    },
    seq: 5,
    at,
    session: 's',
  })
  expect(looked).toBe(0)
})
