/**
 * Owns the spans that have begun and not ended, by session. Called with the events of one process, in order.
 *
 * 1. A span is exported once, when it ends, by the process that sees it end. Its id follows from the session, the call or the question,
 *    so that spans below it can name it before, in any process.
 * 2. A session has one span for each time that it ends: one for a run, one per turn for a conversation. A session that is interrupted and
 *    resumed keeps its span, with the time at which it began.
 * 3. The number of sessions that are remembered is bounded. The oldest is forgotten, and its spans are lost.
 */
import { addUsage, type CadreEvent, readTrace, type TraceContext } from '@cadre/core'
import { type AgentModel, agentModelOf } from './agent-model.ts'
import {
  type AttributeText,
  type AttributeValues,
  attributeOf,
  attributesOf,
  joinAttributes,
} from './attributes.ts'
import { beginSession } from './begin-session.ts'
import { callHead } from './call-head.ts'
import { chatHead } from './chat-head.ts'
import type { Content } from './content.ts'
import { countUsage } from './count-usage.ts'
import { createDecisionAttributes } from './decision-attributes.ts'
import {
  errorStatus,
  type HeadOptions,
  okStatus,
  type SpanEnd,
  secondsBetween,
  spanHeadOf,
  spanOf,
} from './ended-span.ts'
import type { HookRun } from './hook-run.ts'
import { memoize } from './memoize.ts'
import type { Meter } from './meter.ts'
import { type OpenSession, openCallOf, type SpanLink, usageAttributes } from './open-spans.ts'
import type { Sampler } from './sampler.ts'
import { instantOf, spanIdOf } from './span.ts'

export interface SpanTrackerOptions {
  readonly meter: Meter
  readonly content: Content
  readonly sampler: Sampler
  /** How many sessions are remembered. Default: 20,000. */
  readonly most?: number
  /** See `TelemetryOptions`. */
  readonly place?: string | undefined
  /** The trace that this process belongs to. */
  readonly outside?: TraceContext | undefined
  /** Takes a span as JSON. */
  readonly export: (span: string) => void
}

type EventOf<Type extends CadreEvent['type']> = Extract<CadreEvent, { type: Type }>

const maxEnded = 200

export class SpanTracker {
  readonly #options: SpanTrackerOptions
  readonly #sessions = new Map<string, OpenSession>()
  /** Sessions that have ended, oldest first: hooks run after the end. */
  readonly #ended = new Set<string>()
  readonly #links = new Map<string, SpanLink>()
  readonly #models = memoize<AgentModel>()
  readonly #decisionOf = createDecisionAttributes()

  constructor(options: SpanTrackerOptions) {
    this.#options = options
  }

  take(event: CadreEvent): void {
    if (event.type === 'session.started') {
      this.#start(event)
      return
    }
    const session = this.#sessions.get(event.session)
    if (session === undefined || session.hasEnded) return
    switch (event.type) {
      case 'round.started':
        this.#endChat(session, event.at, 'interrupted')
        session.chat = { round: event.round, begun: instantOf(event.at), first: undefined }
        break
      case 'text.added':
        if (session.chat !== undefined) session.chat.first ??= instantOf(event.at)
        break
      case 'reply.received':
        this.#reply(session, event)
        break
      case 'call.judged': {
        const call = openCallOf(session, event.call)
        call.tool = event.tool
        call.input = event.input
        call.begun ||= instantOf(event.at)
        call.decision = this.#decisionOf(event)
        break
      }
      case 'call.started': {
        const call = openCallOf(session, event.call)
        call.tool = event.tool
        call.begun = instantOf(event.at)
        call.isStarted = true
        break
      }
      case 'call.settled':
        this.#settle(session, event)
        break
      case 'person.asked':
        session.questions.set(event.question, {
          call: event.call,
          begun: instantOf(event.since) || instantOf(event.at),
          text: event.text,
        })
        break
      case 'person.answered':
        this.#answer(session, event)
        break
      case 'session.suspended':
        this.#endChat(session, event.at, 'interrupted')
        this.#sessions.delete(session.id)
        break
      case 'session.ended':
        this.#end(session, event)
        break
    }
  }

  /** A hook has run. */
  hook(run: HookRun): void {
    const session = this.#sessions.get(run.session)
    const { event, place, begun, ended, decision, error } = run
    const values = { 'cadre.hook.event': event, 'error.type': error }
    const { meter } = this.#options
    meter.add('cadre.hook.duration', secondsBetween(begun, ended), values)
    if (session === undefined) return
    const call = run.call === undefined ? undefined : session.calls.get(run.call)
    const isInCall = run.call !== undefined && call?.isStarted === true && begun >= call.begun
    const parent = isInCall
      ? spanIdOf(session.trace.traceId, 'call', session.id, run.call as string)
      : session.spanId
    this.#export(session, {
      name: `execute_hook ${event}`,
      parent,
      begun,
      ended,
      error,
      values: {
        'gen_ai.operation.name': 'execute_hook',
        'gen_ai.tool.call.id': run.call,
        'cadre.hook.event': event,
        'cadre.hook.place': place,
        'cadre.hook.decision': decision,
      },
    })
  }

  /** Whether a session that runs here, or has just ended, is the first of its tree. */
  isEntry(id: string): boolean {
    return this.#sessions.get(id)?.isEntry === true
  }

  /** The `traceparent` of a call, or else of the session, if it runs here. */
  traceparent(id: string, call?: string): string | undefined {
    const session = this.#sessions.get(id)
    if (session === undefined) return undefined
    const spanId = call === undefined ? session.spanId : spanIdOf(session.trace.traceId, 'call', id, call)
    return `00-${session.trace.traceId}-${spanId}-${session.isSampled ? '01' : '00'}`
  }

  /** The next span of this session gets a link to the operation of a program that resumes it. */
  link(id: string, traceparent: string): void {
    const context = readTrace(traceparent)
    if (context?.spanId === undefined || this.#links.size >= maxEnded) return
    this.#links.set(id, { traceId: context.traceId, spanId: context.spanId })
  }

  #start(event: EventOf<'session.started'>): void {
    const { session: id, agent, model } = event
    const { meter, sampler, place, outside } = this.#options
    const known = this.#models(`${agent}\0${model}`, () => agentModelOf(agent, model, meter))
    const session = beginSession(event, { known, sampler, place, outside, link: this.#links.get(id) })
    this.#links.delete(id)
    this.#sessions.delete(id)
    this.#ended.delete(id)
    this.#sessions.set(id, session)
    if (this.#sessions.size > (this.#options.most ?? 20_000))
      this.#sessions.delete(firstOf(this.#sessions.keys()))
  }

  #reply(session: OpenSession, event: EventOf<'reply.received'>): void {
    const { usage, calls, stop } = event
    const answering = session.known.answeredBy(event.model)
    if (usage !== undefined) {
      session.usage = addUsage(session.usage, usage)
      countUsage(answering, usage)
    }
    for (const { id, name, input } of calls)
      session.calls.set(id, { tool: name, input, begun: 0, isStarted: false, decision: '' })
    const finish =
      stop === 'filtered' ? 'content_filter' : (stop ?? (calls.length > 0 ? 'tool_calls' : 'stop'))
    this.#endChat(session, event.at, undefined, { event, answer: answering.attributes(finish) })
  }

  /** `error`: there is no reply. */
  #endChat(session: OpenSession, at: string, error: string | undefined, reply?: Reply): void {
    const { chat, known } = session
    if (chat === undefined) return
    session.chat = undefined
    const { round, begun, first } = chat
    const ended = instantOf(at)
    const { meter, content } = this.#options
    const duration = secondsBetween(begun, ended)
    if (error === undefined) known.requestDuration(duration)
    else meter.add('gen_ai.client.inference.duration', duration, { ...known.counted, 'error.type': error })
    const untilFirst = first === undefined ? undefined : secondsBetween(begun, first)
    known.timeToFirstChunk(untilFirst)
    if (!session.isSampled) return
    let attributes = attributeOf('cadre.round', round)
    if (untilFirst !== undefined) {
      const name = 'gen_ai.response.time_to_first_chunk'
      attributes = joinAttributes(attributes, attributeOf(name, { double: untilFirst }))
    }
    if (reply !== undefined) {
      const { text, calls, usage } = reply.event
      if (usage !== undefined) attributes = joinAttributes(attributes, usageAttributes(usage))
      const said = content.message('gen_ai.output.messages', 'assistant', text, calls)
      attributes = joinAttributes(attributes, contentOf(said))
    }
    this.#options.export(spanOf(chatHead(session, reply?.answer ?? '', error), { begun, ended, attributes }))
  }

  #settle(session: OpenSession, event: EventOf<'call.settled'>): void {
    const call = openCallOf(session, event.call)
    session.calls.delete(event.call)
    const { outcome, code, background } = event
    const ended = instantOf(event.at)
    const begun = call.begun || ended
    const error = outcome === 'done' ? undefined : (code ?? outcome)
    const { meter, content } = this.#options
    const tool = session.known.tool(call.tool)
    if (call.isStarted) {
      const duration = secondsBetween(begun, ended)
      if (error === undefined) tool.duration(duration)
      else meter.add('gen_ai.execute_tool.duration', duration, { ...tool.counted, 'error.type': error })
    }
    if (outcome === 'refused')
      meter.add('cadre.denials', 1, { ...tool.counted, 'cadre.decision.by': code ?? 'unknown' })
    if (!session.isSampled) return
    const failure =
      error === undefined ? undefined : { error, outcome, status: this.#statusOf(error, event.content) }
    const head = callHead(session, call, failure)
    let attributes = attributeOf('gen_ai.tool.call.id', event.call)
    if (background !== undefined)
      attributes = joinAttributes(attributes, attributeOf('cadre.call.background', background))
    const texts = content.texts({
      'gen_ai.tool.call.arguments': call.input,
      'gen_ai.tool.call.result': event.content,
    })
    attributes = joinAttributes(attributes, contentOf(texts))
    const spanId = spanIdOf(session.trace.traceId, 'call', session.id, event.call)
    this.#options.export(spanOf(head, { spanId, begun, ended, attributes }))
  }

  #answer(session: OpenSession, event: EventOf<'person.answered'>): void {
    const question = session.questions.get(event.question)
    if (question === undefined) return
    session.questions.delete(event.question)
    const call = openCallOf(session, question.call)
    const operation = event.question.startsWith('doubt/') ? 'await_decision' : 'await_approval'
    const { begun } = question
    const ended = Math.max(begun, instantOf(event.answeredAt) || instantOf(event.at))
    const { meter, content } = this.#options
    const answer = { 'cadre.approval.decision': event.decision }
    meter.add('cadre.approval.duration', secondsBetween(begun, ended), {
      'gen_ai.tool.name': call.tool,
      ...answer,
    })
    this.#export(session, {
      name: `${operation} ${call.tool}`,
      spanId: spanIdOf(session.trace.traceId, 'question', session.id, event.question),
      begun,
      ended,
      values: {
        'gen_ai.operation.name': operation,
        'gen_ai.tool.name': call.tool,
        'gen_ai.tool.call.id': question.call,
        ...answer,
      },
      content: content.texts({
        'cadre.approval.by': event.by,
        'cadre.approval.reason': event.reason,
        'cadre.approval.text': question.text,
      }),
    })
    // The call has not run while it waited.
    if (!call.isStarted) call.begun = instantOf(event.at)
  }

  #end(session: OpenSession, event: EventOf<'session.ended'>): void {
    const { report } = event
    const { status } = report
    const notice = status === 'completed' ? undefined : report.notices?.at(-1)
    const error =
      status === 'completed' ? undefined : status === 'cancelled' ? status : (notice?.code ?? status)
    this.#endChat(session, event.at, error)
    const ended = instantOf(event.at)
    const { meter, content } = this.#options
    const { name } = session.known
    meter.add('gen_ai.invoke_agent.duration', secondsBetween(session.begun, ended), {
      'gen_ai.agent.name': session.agent,
      'gen_ai.request.model': name.model,
      'error.type': error,
    })
    const { cost } = session.usage
    this.#export(session, {
      name: `invoke_agent ${session.agent}`,
      spanId: session.spanId,
      parent: session.parent,
      links: session.links,
      begun: session.begun,
      ended,
      error,
      message: notice?.message,
      values: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.provider.name': name.provider,
        'gen_ai.request.model': name.model,
        'cadre.cost': cost === undefined ? undefined : { double: cost },
        'cadre.report.status': status,
      },
      more: usageAttributes(session.usage),
      content: {
        ...content.message('gen_ai.input.messages', 'user', session.input),
        ...content.message('gen_ai.output.messages', 'assistant', report.text),
      },
    })
    session.hasEnded = true
    session.calls.clear()
    session.questions.clear()
    this.#ended.add(session.id)
    if (this.#ended.size <= maxEnded) return
    const oldest = firstOf(this.#ended)
    this.#ended.delete(oldest)
    this.#sessions.delete(oldest)
  }

  /** A span of which a session has few. */
  #export(session: OpenSession, span: RareSpan): void {
    if (!session.isSampled) return
    const { name, error, values, more = '', content = {}, links, begun, ended, spanId } = span
    const head = spanHeadOf(session, {
      name,
      ...('parent' in span && { parent: span.parent }),
      ...(links && { links }),
      status: this.#statusOf(error, span.message),
      attributes: attributesOf({ ...values, 'error.type': error }),
    })
    const attributes = joinAttributes(more, contentOf(content))
    this.#options.export(spanOf(head, { ...(spanId !== undefined && { spanId }), begun, ended, attributes }))
  }

  /** `message`: what the error says. It is content. */
  #statusOf(error: string | undefined, message: string | undefined): string {
    return error === undefined
      ? okStatus
      : errorStatus(this.#options.content.text('message', message)['message'])
  }
}

interface RareSpan extends Omit<SpanEnd, 'attributes'>, Pick<HeadOptions, 'name' | 'parent' | 'links'> {
  /** The kind of error: a code. */
  readonly error?: string | undefined
  /** What the error says. */
  readonly message?: string | undefined
  readonly values: AttributeValues
  readonly more?: AttributeText
  /** Masked and cut already. */
  readonly content?: AttributeValues
}

interface Reply {
  readonly event: EventOf<'reply.received'>
  readonly answer: AttributeText
}

/** Content is masked and cut already. */
function contentOf(values: AttributeValues): AttributeText {
  return attributesOf(values, Number.POSITIVE_INFINITY)
}

function firstOf(keys: Iterable<string>): string {
  const [first = ''] = keys
  return first
}
