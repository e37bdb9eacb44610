import type { CadreEvent, EventBody } from '@cadre/core'
import { noUsage } from '@cadre/core'
import { expect, it } from 'vitest'
import { createContent } from './content.ts'
import { createMeter } from './meter.ts'
import { readSampler, type Sampler } from './sampler.ts'
import { SpanTracker } from './span-tracker.ts'

/** As it is sent. */
interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
  readonly links?: readonly object[]
  readonly status: { readonly code?: number; readonly message?: string }
}

const trace = 'ab'.repeat(16)

/** Takes events of sessions at seconds of a clock that the test sets. */
function track(sampler?: Sampler, isContent = false, most = 100) {
  const spans: Span[] = []
  const meter = createMeter({ now: 0, delta: false })
  const tracker = new SpanTracker({
    meter,
    content: createContent(isContent ? (text) => text.replaceAll('secret', '***') : undefined, 50),
    sampler: sampler ?? (() => true),
    most,
    export: (span) => spans.push(JSON.parse(span) as Span),
  })
  let seq = 0
  const take = (second: number, body: EventBody, session = 'lead-1') =>
    tracker.take({ ...body, seq: ++seq, at: instant(second), session } as CadreEvent)
  return { spans, meter, tracker, take, last: () => spans.at(-1) as Span }
}

const instant = (second: number) => new Date(second * 1000).toISOString()
const started = (more: Partial<Extract<EventBody, { type: 'session.started' }>> = {}): EventBody => ({
  type: 'session.started',
  agent: 'lead',
  model: 'openai:gpt-5',
  work: 'Do the secret work.',
  root: 'lead-1',
  depth: 0,
  trace,
  ...more,
})
const ended = (status: 'completed' | 'error' | 'cancelled' = 'completed', code?: string): EventBody => ({
  type: 'session.ended',
  report: {
    type: 'report',
    session: 'lead-1',
    agent: 'lead',
    status,
    text: 'Done with the secret.',
    model: 'openai:gpt-5',
    usage: noUsage,
    sessions: 1,
    calls: 0,
    ...(code && { notices: [{ code, message: `${code}: the secret failed` }] }),
  },
})
const attribute = (span: Span, name: string) =>
  Object.values(span.attributes.find(({ key }) => key === name)?.value ?? {})[0]
const times = ({ startTimeUnixNano, endTimeUnixNano }: Span) => [startTimeUnixNano, endTimeUnixNano]

it('measures a request, the time until its first text, and its failure', () => {
  const { take, spans, meter } = track()
  take(1, started())
  take(2, { type: 'round.started', round: 1 })
  take(3, { type: 'text.added', round: 1, text: 'He' })
  take(4, { type: 'text.added', round: 1, text: 'llo' })
  take(5, {
    type: 'reply.received',
    round: 1,
    text: 'Hello',
    calls: [],
    usage: { input: 7, output: 2, cost: 0.5 },
    stop: 'length',
  })
  take(6, { type: 'round.started', round: 2 })
  take(8, ended('error', 'backend'))
  const [first, second, agent] = spans as [Span, Span, Span]
  expect(first).toMatchObject({
    name: 'chat gpt-5',
    kind: 3,
    parentSpanId: agent.spanId,
    traceId: trace,
    status: {},
  })
  expect(times(first)).toEqual(['2000000000', '5000000000'])
  expect(attribute(first, 'gen_ai.response.time_to_first_chunk')).toBe(1)
  expect(attribute(first, 'gen_ai.response.finish_reasons')).toEqual({ values: [{ stringValue: 'length' }] })
  expect(attribute(first, 'gen_ai.usage.input_tokens')).toBe('7')
  expect(attribute(second, 'error.type')).toBe('backend')
  expect(agent).toMatchObject({ name: 'invoke_agent lead', kind: 1, status: { code: 2 } })
  expect(agent).not.toHaveProperty('parentSpanId')
  expect(times(agent)).toEqual(['1000000000', '8000000000'])
  expect(JSON.stringify(spans)).not.toContain('secret')
  const metrics = JSON.parse(`[${meter.collect(9000)}]`) as { name: string; sum?: { dataPoints: object[] } }[]
  expect(metrics.find(({ name }) => name === 'cadre.cost')?.sum?.dataPoints).toMatchObject([
    { asDouble: 0.5 },
  ])
  expect(
    metrics.find(({ name }) => name === 'gen_ai.client.inference.usage.input_tokens')?.sum?.dataPoints,
  ).toMatchObject([{ asInt: '7', startTimeUnixNano: '0', timeUnixNano: '9000000000' }])
})

it("does not include a person's waiting time in the call's time", () => {
  const { take, spans } = track()
  const judged = { type: 'call.judged', call: 'c1', agent: 'lead', tool: 'deploy', input: '{}' } as const
  take(1, started())
  take(2, { ...judged, decision: 'ask', by: 'policy', rule: 'effects.execute' })
  take(2, {
    type: 'person.asked',
    question: 'approval/c1',
    call: 'c1',
    text: 'Deploy?',
    choices: ['approve'],
  })
  take(50, { type: 'person.answered', question: 'approval/c1', decision: 'approve', by: 'ann' })
  take(51, { ...judged, decision: 'allow', by: 'approval', rule: 'approve' })
  take(51, { type: 'call.started', call: 'c1', tool: 'deploy' })
  take(53, { type: 'call.settled', call: 'c1', outcome: 'done', content: 'live' })
  const [approval, call] = spans as [Span, Span]
  expect([approval.name, call.name]).toEqual(['await_approval deploy', 'execute_tool deploy'])
  expect(times(approval)).toEqual(['2000000000', '50000000000'])
  expect(times(call)).toEqual(['51000000000', '53000000000'])
  expect(attribute(call, 'cadre.decision.by')).toBe('approval')
  // The name of a person is content.
  expect(JSON.stringify(spans)).not.toContain('ann')
})

it('continues a span in another process', () => {
  const [first, second] = [track(), track()]
  const delegation = { type: 'call.started', call: 'c1', tool: 'delegate_task', child: 'worker-1' } as const
  const child = { agent: 'worker', depth: 1, parent: { session: 'lead-1', call: 'c1' } }
  first.take(1, started())
  first.take(2, delegation)
  first.take(3, started(child), 'worker-1')
  first.take(
    4,
    { type: 'person.asked', question: 'approval/x', call: 'x', text: '?', choices: [] },
    'worker-1',
  )
  first.take(5, { type: 'session.suspended', questions: ['approval/x'] }, 'worker-1')
  first.take(5, { type: 'session.suspended', questions: [] })
  expect(first.spans).toEqual([])
  const before = (since: number) => ({
    resumed: true,
    earlier: { ends: 0, since: instant(since), usage: { input: 5, output: 1 } },
  })
  const open = [{ id: 'c1', name: 'delegate_task', input: '{}', startedAt: instant(2) }]
  second.take(100, started({ ...before(1), open }))
  second.take(
    101,
    started({ ...child, ...before(3), open: [{ id: 'x', name: 'deploy', input: '{}' }] }),
    'worker-1',
  )
  second.take(
    102,
    { type: 'person.asked', question: 'approval/x', call: 'x', text: '?', choices: [], since: instant(4) },
    'worker-1',
  )
  second.take(
    102,
    { type: 'person.answered', question: 'approval/x', decision: 'reject', answeredAt: instant(60) },
    'worker-1',
  )
  second.take(
    103,
    { type: 'call.settled', call: 'x', outcome: 'refused', code: 'approval_rejected', content: 'no' },
    'worker-1',
  )
  second.take(104, ended(), 'worker-1')
  second.take(105, { type: 'call.settled', call: 'c1', outcome: 'done', content: 'ok' })
  second.take(106, ended())
  const [approval, denied, worker, call, lead] = second.spans as [Span, Span, Span, Span, Span]
  expect(times(approval)).toEqual(['4000000000', '60000000000'])
  expect(attribute(denied, 'error.type')).toBe('approval_rejected')
  expect(times(worker)).toEqual(['3000000000', '104000000000'])
  expect(worker.parentSpanId).toBe(call.spanId)
  expect(times(call)).toEqual(['2000000000', '105000000000'])
  expect(call.parentSpanId).toBe(lead.spanId)
  expect(times(lead)).toEqual(['1000000000', '106000000000'])
  expect(attribute(lead, 'gen_ai.usage.input_tokens')).toBe('5')
})

it('gives each turn of a conversation a span below the first, linked to the one before', () => {
  const { take, spans, tracker } = track()
  take(1, started())
  take(2, ended())
  tracker.link('lead-1', `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`)
  take(10, started({ resumed: true, earlier: { ends: 1 }, message: 'And now?' }))
  take(11, ended('cancelled'))
  take(20, started({ resumed: true, earlier: { ends: 2 } }))
  take(21, ended())
  const [one, two, three] = spans as [Span, Span, Span]
  expect(new Set([one.spanId, two.spanId, three.spanId]).size).toBe(3)
  expect([two.parentSpanId, three.parentSpanId]).toEqual([one.spanId, one.spanId])
  expect(two.links).toEqual([
    { traceId: trace, spanId: one.spanId },
    { traceId: '1'.repeat(32), spanId: '2'.repeat(16) },
  ])
  expect(three.links).toEqual([{ traceId: trace, spanId: two.spanId }])
  expect(times(two)).toEqual(['10000000000', '11000000000'])
})

it('passes on the context of a call, and joins the trace of a caller', () => {
  const { take, tracker, last } = track()
  const caller = `00-${trace}-${'7'.repeat(16)}-01`
  expect(tracker.traceparent('lead-1', 'c1')).toBeUndefined()
  take(1, started({ trace: caller }))
  const given = tracker.traceparent('lead-1', 'c1')
  take(2, { type: 'call.started', call: 'c1', tool: 'mcp__x__y' })
  take(3, { type: 'call.settled', call: 'c1', outcome: 'done', content: '' })
  expect(given).toBe(`00-${trace}-${last().spanId}-01`)
  take(4, ended())
  expect(last().parentSpanId).toBe('7'.repeat(16))
})

it('does not export a trace that its caller does not record, but still counts it', () => {
  const { take, spans, tracker, meter } = track(readSampler())
  take(1, started({ trace: `00-${trace}-${'7'.repeat(16)}-00` }))
  expect(tracker.traceparent('lead-1')).toMatch(/-00$/)
  take(2, ended())
  expect(spans).toEqual([])
  expect(meter.collect(3)).toContain('gen_ai.invoke_agent.duration')
})

it('places hooks below the call that they belong to, even after the session has ended', () => {
  const { take, tracker, spans } = track()
  const hook = { session: 'lead-1', place: 'a.json:3', begun: 3000, ended: 4000 }
  take(1, started())
  tracker.hook({ ...hook, event: 'PreToolUse', call: 'c1', decision: 'allow', begun: 1500, ended: 1600 })
  take(2, { type: 'call.started', call: 'c1', tool: 'deploy' })
  tracker.hook({ ...hook, event: 'PostToolUse', call: 'c1', error: 'timeout' })
  take(5, { type: 'call.settled', call: 'c1', outcome: 'done', content: '' })
  take(6, ended())
  tracker.hook({ ...hook, event: 'SessionEnd', begun: 6000, ended: 6001 })
  const [before, after, call, session, end] = spans as [Span, Span, Span, Span, Span]
  expect([before.name, after.name, end.name]).toEqual([
    'execute_hook PreToolUse',
    'execute_hook PostToolUse',
    'execute_hook SessionEnd',
  ])
  expect([before, after, end].map(({ parentSpanId }) => parentSpanId)).toEqual([
    session.spanId,
    call.spanId,
    session.spanId,
  ])
  expect(after.status.code).toBe(2)
})

it('exports content only if it may: masked, cut, and always valid text', () => {
  const { take, spans, last } = track(undefined, true)
  take(1, started())
  take(2, { type: 'round.started', round: 1 })
  const input = JSON.stringify({ text: `secret ${'x'.repeat(200)}` })
  take(3, {
    type: 'reply.received',
    round: 1,
    text: 'half \ud83d',
    calls: [{ id: 'c1', name: 't'.repeat(999), input }],
  })
  take(4, {
    type: 'call.settled',
    call: 'c1',
    outcome: 'failed',
    content: `${'y'.repeat(48)}\ud83d\ude00 secret`,
    code: 'x',
  })
  take(5, ended('error', 'backend'))
  const text = JSON.stringify(spans)
  expect(text).not.toContain('secret')
  expect(text).not.toMatch(/\\ud83d(?!\\ude00)/)
  expect(attribute(last(), 'gen_ai.input.messages')).toContain('Do the *** work.')
  expect(last().status.message).toBe('backend: the *** failed')
  const [chat, call] = spans as [Span, Span]
  const [message] = JSON.parse(attribute(chat, 'gen_ai.output.messages') as string) as {
    parts: { content?: string }[]
  }[]
  expect(message?.parts).toHaveLength(2)
  expect((attribute(call, 'gen_ai.tool.call.arguments') as string).length).toBe(50)
})

it('remembers a bounded number of sessions', () => {
  const { take, tracker } = track(undefined, false, 300)
  for (let n = 0; n < 305; n++) take(1, started(), `s-${n}`)
  expect(tracker.traceparent('s-4')).toBeUndefined()
  expect(tracker.traceparent('s-5')).toBeDefined()
  for (let n = 5; n < 305; n++) take(2, ended(), `s-${n}`)
  expect(tracker.traceparent('s-90')).toBeUndefined()
  expect(tracker.traceparent('s-304')).toBeDefined()
})
