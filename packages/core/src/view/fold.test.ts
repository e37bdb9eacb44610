import { expect, test } from 'vitest'
import type { CadreEvent, EventBody } from '../ports/events.ts'
import { agentRounds } from './agent-rounds.ts'
import { applyToView, callOf, emptyView } from './fold.ts'

const second = (count: number) => new Date(count * 1000).toISOString()

function fold(...bodies: readonly EventBody[]) {
  const view = emptyView()
  const events = [
    { type: 'session.started', agent: 'lead', model: 'm', work: 'w', root: 's', depth: 0 } as const,
    ...bodies,
  ].map((body, at): CadreEvent => ({ ...body, session: 's', seq: at, at: second(at) }))
  for (const event of events) applyToView(view, event)
  return { view, events }
}

const input = '{"command":"git push"}'
const asked: EventBody[] = [
  { type: 'round.started', round: 1 },
  {
    type: 'reply.received',
    round: 1,
    text: '',
    calls: [{ id: 'c', name: 'execute_command', input }],
    usage: { input: 5, output: 2, cost: 0.5 },
  },
  {
    type: 'call.judged',
    call: 'c',
    agent: 'lead',
    tool: 'execute_command',
    input,
    decision: 'ask',
    by: 'policy',
    rule: 'effects.execute',
    reason: 'pushes',
    risk: 'HIGH',
    reasons: ['leaves the machine'],
  },
  {
    type: 'person.asked',
    question: 'approval/c',
    call: 'c',
    text: 'git push',
    choices: ['approve', 'reject'],
  },
]
const answered: EventBody = {
  type: 'person.answered',
  question: 'approval/c',
  decision: 'approve',
  by: 'ann',
}
const started: EventBody[] = [
  {
    type: 'call.judged',
    call: 'c',
    agent: 'lead',
    tool: 'execute_command',
    input: '{"command":"git push --dry-run"}',
    decision: 'allow',
    by: 'approval',
  },
  { type: 'call.started', call: 'c', tool: 'execute_command' },
]
const settled: EventBody = { type: 'call.settled', call: 'c', outcome: 'done', content: 'ok' }

test('a call has its verdict, the decision that made Cadre ask, the person and its times', () => {
  const { view } = fold(...asked, answered, ...started, settled)
  expect(callOf(view, 's', 'c')).toEqual({
    id: 'c',
    name: 'execute_command',
    input,
    status: 'done',
    content: 'ok',
    verdict: { decision: 'allow', by: 'approval', input: '{"command":"git push --dry-run"}' },
    held: {
      decision: 'ask',
      by: 'policy',
      rule: 'effects.execute',
      reason: 'pushes',
      risk: 'HIGH',
      reasons: ['leaves the machine'],
    },
    person: { decision: 'approve', by: 'ann', at: second(5) },
    startedAt: second(7),
    settledAt: second(8),
  })
})

test('a round has its times and its usage', () => {
  const [round] = fold(...asked).view.sessions.get('s')?.rounds ?? []
  expect(round).toMatchObject({
    startedAt: second(1),
    repliedAt: second(2),
    usage: { input: 5, output: 2, cost: 0.5 },
  })
})

test('a denied call has a verdict and no start', () => {
  const { view } = fold(
    ...asked.slice(0, 2),
    {
      type: 'call.judged',
      call: 'c',
      agent: 'lead',
      tool: 'execute_command',
      input,
      decision: 'deny',
      by: 'role',
      reason: 'a reader runs nothing',
    },
    { type: 'call.settled', call: 'c', outcome: 'refused', content: 'a reader runs nothing' },
  )
  const call = callOf(view, 's', 'c')
  expect(call?.verdict).toEqual({ decision: 'deny', by: 'role', reason: 'a reader runs nothing' })
  expect(call).not.toHaveProperty('startedAt')
})

test('repeated events change nothing', () => {
  const { view, events } = fold(...asked, answered, ...started, settled)
  const before = structuredClone(view.sessions.get('s')?.rounds)
  for (const event of events) applyToView(view, event)
  expect(view.sessions.get('s')?.rounds).toEqual(before)
})

test('a call that runs again after a crash keeps its first start, and has no end until it is settled', () => {
  const { view } = fold(...asked, answered, ...started, ...started)
  expect(callOf(view, 's', 'c')).toMatchObject({ startedAt: second(7), status: 'running' })
  expect(callOf(view, 's', 'c')).not.toHaveProperty('settledAt')
})

test('the rounds that --json prints have none of these fields', () => {
  const { view } = fold(...asked, answered, ...started, settled)
  expect(agentRounds(view, 's')[0]?.toolCalls).toEqual([
    { id: 'c', name: 'execute_command', input, status: 'done', content: 'ok' },
  ])
})

test('an open call of a resumed session is in its round, and is counted when the journal is read later', () => {
  const view = emptyView()
  const start = {
    type: 'session.started',
    agent: 'lead',
    model: 'm',
    work: 'w',
    root: 's',
    depth: 0,
  } as const
  const open = [{ id: 'c', name: 'execute_command', input, round: 3 }]
  const see = (body: EventBody, at: number) =>
    applyToView(view, { ...body, session: 's', seq: at, at: second(at) } as CadreEvent)
  see({ ...start, resumed: true, open }, 1)
  see({ type: 'call.started', call: 'c', tool: 'execute_command' }, 2)
  const session = view.sessions.get('s')
  expect(session?.rounds).toMatchObject([
    { roundId: 3, toolCalls: [{ id: 'c', name: 'execute_command', input, status: 'running' }] },
  ])
  // A second resume does not drop the round like one whose reply never arrived.
  see({ ...start, resumed: true, open }, 3)
  expect(session?.rounds).toHaveLength(1)
  const usage = { input: 5, output: 2 }
  see({ type: 'reply.received', round: 3, text: 'Hm.', calls: open, usage }, 4)
  expect(session?.rounds).toMatchObject([{ roundId: 3, reply: 'Hm.', usage, toolCalls: [{ id: 'c' }] }])
  expect(session?.usage).toMatchObject(usage)
})
