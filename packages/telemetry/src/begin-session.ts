import { type CadreEvent, noUsage, readTrace, type TraceContext } from '@cadre/core'
import type { AgentModel } from './agent-model.ts'
import { attributesOf, joinAttributes } from './attributes.ts'
import type { OpenSession, SpanLink } from './open-spans.ts'
import type { Sampler } from './sampler.ts'
import { instantOf, spanIdOf, traceIdOf } from './span.ts'

type Started = Extract<CadreEvent, { type: 'session.started' }>

export interface BeginOptions {
  readonly known: AgentModel
  readonly sampler: Sampler
  readonly place?: string | undefined
  /** The trace that this process belongs to. */
  readonly outside?: TraceContext | undefined
  /** The caller's operation that resumes the session. */
  readonly link?: SpanLink | undefined
}

/** The span for a session that starts or continues in this process. */
export function beginSession(event: Started, options: BeginOptions): OpenSession {
  const { session: id, root, parent, earlier, agent, open = [] } = event
  const { known, sampler, place = '' } = options
  const trace = readTrace(event.trace) ?? { traceId: traceIdOf(place, root), sampled: true }
  const { traceId } = trace
  const turn = earlier?.ends ?? 0
  const session: OpenSession = {
    id,
    agent,
    isEntry: parent === undefined,
    known,
    attributes: joinAttributes(attributesOf({ 'gen_ai.conversation.id': id }), known.attributes),
    trace,
    isSampled: sampler(trace),
    spanId: spanIdOf(traceId, 'session', id, String(turn)),
    parent:
      parent !== undefined
        ? spanIdOf(traceId, 'call', parent.session, parent.call)
        : (trace.spanId ?? (id === root && turn === 0 ? undefined : spanIdOf(traceId, 'session', root, '0'))),
    links: linksOf(event, trace, turn, options),
    begun: instantOf(earlier?.since) || instantOf(event.at),
    input: event.message ?? event.work,
    usage: earlier?.usage ?? noUsage,
    chat: undefined,
    calls: new Map(),
    questions: new Map(),
    hasEnded: false,
    chatHead: undefined,
    callHead: undefined,
  }
  for (const { id: call, name: tool, input, startedAt } of open)
    session.calls.set(call, {
      tool,
      input,
      begun: instantOf(startedAt),
      isStarted: startedAt !== undefined,
      decision: '',
    })
  return session
}

function linksOf(
  { session, depth, resumed }: Started,
  { traceId, spanId }: TraceContext,
  turn: number,
  { link, outside }: BeginOptions,
): SpanLink[] {
  const isOutside =
    resumed === true && depth === 0 && outside?.spanId !== undefined && outside.spanId !== spanId
  return [
    ...(turn > 0 ? [{ traceId, spanId: spanIdOf(traceId, 'session', session, String(turn - 1)) }] : []),
    ...(link ? [link] : []),
    ...(isOutside ? [{ traceId: outside.traceId, spanId: outside.spanId as string }] : []),
  ]
}
