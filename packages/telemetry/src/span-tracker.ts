/**
 * Owns the spans that have begun and not ended, by session. Called with the events of one process, in order.
 *
 * 1. A span is exported once, when it ends, by the process that sees it end. Its id follows from the session, the call or the question,
 *    so that spans below it can name it before, in any process.
 * 2. A session has one span for each time that it ends: one for a run, one per turn for a conversation. A session that is interrupted and
 *    resumed keeps its span, with the time at which it began.
 * 3. The number of sessions that are remembered is bounded. The oldest is forgotten, and its spans are lost.
 */
import { addUsage, type CadreEvent, noUsage, readTrace, type TraceContext, type Usage } from '@cadre/core'
import { type AttributeText, attributesOf, joinAttributes, type Values } from './attributes.ts'
import type { Content } from './content.ts'
import { type EndedSpan, seconds, spanOf } from './ended-span.ts'
import type { HookRun } from './hook-run.ts'
import type { Meter } from './meter.ts'
import { modelName } from './model-name.ts'
import { callOf, type OpenSession, type SpanLink, usageValues } from './open-session.ts'
import { remembering } from './remembering.ts'
import type { Sampler } from './sampler.ts'
import { instantOf, spanIdOf, spanKinds, traceIdOf } from './span.ts'

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

const mostEnded = 200

export class SpanTracker {
  readonly #options: SpanTrackerOptions
  readonly #sessions = new Map<string, OpenSession>()
  /** Sessions that have ended, oldest first: hooks run after the end. */
  readonly #ended = new Set<string>()
  readonly #links = new Map<string, SpanLink>()
  readonly #tools = remembering<KnownTool>()
  readonly #texts = remembering<AttributeText>()

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
        const call = callOf(session, event.call)
        call.tool = event.tool
        call.input = event.input
        call.begun ||= instantOf(event.at)
        const { decision, by, rule, risk } = event
        call.decision = this.#texts(`${decision}\0${by}\0${rule}\0${risk}`, () =>
          attributesOf({
            'cadre.decision': decision,
            'cadre.decision.by': by,
            'cadre.decision.rule': rule,
            'cadre.risk': risk,
          }),
        )
        break
      }
      case 'call.started': {
        const call = callOf(session, event.call)
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
    meter.add('cadre.hook.duration', seconds(begun, ended), values)
    if (session === undefined) return
    const call = run.call === undefined ? undefined : session.calls.get(run.call)
    const isInCall = run.call !== undefined && call?.isStarted === true && begun >= call.begun
    this.#export(session, {
      name: `execute_hook ${event}`,
      parent: isInCall
        ? spanIdOf(session.trace.traceId, 'call', session.id, run.call as string)
        : session.spanId,
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
    if (context?.spanId === undefined || this.#links.size >= mostEnded) return
    this.#links.set(id, { traceId: context.traceId, spanId: context.spanId })
  }

  #start(event: EventOf<'session.started'>): void {
    const { session: id, root, parent, earlier, agent, model, open = [] } = event
    const trace = readTrace(event.trace) ?? {
      traceId: traceIdOf(this.#options.place ?? '', root),
      sampled: true,
    }
    const { traceId } = trace
    const turn = earlier?.ends ?? 0
    const name = modelName(model)
    const chat = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': name.provider,
      'gen_ai.request.model': name.model,
    }
    const attributes = attributesOf({ 'gen_ai.conversation.id': id, 'gen_ai.agent.name': agent })
    const session: OpenSession = {
      id,
      agent,
      isEntry: parent === undefined,
      model,
      name,
      attributes,
      chatAttributes: joinAttributes(attributes, attributesOf(chat)),
      counted: {
        chat: this.#options.meter.intern(chat),
        agent: this.#options.meter.intern({ ...chat, 'gen_ai.agent.name': agent }),
      },
      trace,
      isSampled: this.#options.sampler(trace),
      spanId: spanIdOf(traceId, 'session', id, String(turn)),
      parent:
        parent !== undefined
          ? spanIdOf(traceId, 'call', parent.session, parent.call)
          : (trace.spanId ??
            (id === root && turn === 0 ? undefined : spanIdOf(traceId, 'session', root, '0'))),
      links: this.#linksOf(event, trace, turn),
      begun: instantOf(earlier?.since) || instantOf(event.at),
      input: event.message ?? event.work,
      usage: earlier?.usage ?? noUsage,
      chat: undefined,
      calls: new Map(),
      questions: new Map(),
      hasEnded: false,
    }
    for (const { id: call, name, input, startedAt } of open)
      session.calls.set(call, {
        tool: name,
        input,
        begun: instantOf(startedAt),
        isStarted: startedAt !== undefined,
        decision: '',
      })
    this.#sessions.delete(id)
    this.#ended.delete(id)
    this.#sessions.set(id, session)
    if (this.#sessions.size > (this.#options.most ?? 20_000))
      this.#sessions.delete(firstOf(this.#sessions.keys()))
  }

  #linksOf(
    { session, depth, resumed }: EventOf<'session.started'>,
    trace: TraceContext,
    turn: number,
  ): SpanLink[] {
    const { traceId } = trace
    const given = this.#links.get(session)
    this.#links.delete(session)
    const { outside } = this.#options
    const isOutside =
      resumed === true && depth === 0 && outside?.spanId !== undefined && outside.spanId !== trace.spanId
    return [
      ...(turn > 0 ? [{ traceId, spanId: spanIdOf(traceId, 'session', session, String(turn - 1)) }] : []),
      ...(given ? [given] : []),
      ...(isOutside ? [{ traceId: outside.traceId, spanId: outside.spanId as string }] : []),
    ]
  }

  #reply(session: OpenSession, event: EventOf<'reply.received'>): void {
    const { usage, text, calls, stop } = event
    const { model } = modelName(event.model ?? session.model)
    if (usage !== undefined) {
      session.usage = addUsage(session.usage, usage)
      this.#count(session, event.model, usage)
    }
    for (const { id, name, input } of calls)
      session.calls.set(id, { tool: name, input, begun: 0, isStarted: false, decision: '' })
    const finish =
      stop === 'filtered' ? 'content_filter' : (stop ?? (calls.length > 0 ? 'tool_calls' : 'stop'))
    const answer = this.#texts(`${model}\0${finish}`, () =>
      attributesOf({ 'gen_ai.response.model': model, 'gen_ai.response.finish_reasons': [finish] }),
    )
    this.#endChat(session, event.at, undefined, {
      attributes: usage === undefined ? answer : joinAttributes(answer, attributesOf(usageValues(usage))),
      content: this.#options.content.message('gen_ai.output.messages', 'assistant', text, calls),
    })
  }

  #count({ counted, model }: OpenSession, answered: string | undefined, usage: Usage): void {
    const { meter } = this.#options
    const isOther = answered !== undefined && answered !== model
    const by = (values: Values) =>
      isOther ? meter.intern({ ...values, 'gen_ai.response.model': modelName(answered).model }) : values
    const chat = by(counted.chat)
    const agent = by(counted.agent)
    meter.add('gen_ai.client.inference.operation.input_tokens', usage.input, chat)
    meter.add('gen_ai.client.inference.operation.output_tokens', usage.output, chat)
    meter.add('gen_ai.client.inference.usage.input_tokens', usage.input, agent)
    meter.add('gen_ai.client.inference.usage.output_tokens', usage.output, agent)
    meter.add('gen_ai.client.inference.usage.cache_read.input_tokens', usage.cacheRead, agent)
    meter.add('gen_ai.client.inference.usage.cache_write.input_tokens', usage.cacheWrite, agent)
    meter.add('cadre.cost', usage.cost, agent)
    meter.add('cadre.premium_requests', usage.premium, agent)
  }

  /** `error`: there is no reply. */
  #endChat(session: OpenSession, at: string, error: string | undefined, reply?: Reply): void {
    const { chat, name, counted } = session
    if (chat === undefined) return
    session.chat = undefined
    const { round, begun, first } = chat
    const ended = instantOf(at)
    const { meter } = this.#options
    const by = error === undefined ? counted.chat : { ...counted.chat, 'error.type': error }
    const untilFirst = first === undefined ? undefined : seconds(begun, first)
    meter.add('gen_ai.client.inference.duration', seconds(begun, ended), by)
    meter.add('gen_ai.client.inference.time_to_first_chunk', untilFirst, counted.chat)
    this.#export(session, {
      name: `chat ${name.model}`,
      kind: spanKinds.client,
      begun,
      ended,
      error,
      common: joinAttributes(session.chatAttributes, reply?.attributes ?? ''),
      values: {
        'cadre.round': round,
        'gen_ai.response.time_to_first_chunk': untilFirst === undefined ? undefined : { double: untilFirst },
      },
      content: reply?.content,
    })
  }

  #settle(session: OpenSession, event: EventOf<'call.settled'>): void {
    const call = callOf(session, event.call)
    session.calls.delete(event.call)
    const { outcome, code, background } = event
    const ended = instantOf(event.at)
    const begun = call.begun || ended
    const error = outcome === 'done' ? undefined : (code ?? outcome)
    const { meter, content } = this.#options
    const { attributes, counted } = this.#toolOf(session, call.tool)
    const by = error === undefined ? counted : { ...counted, 'error.type': error }
    if (call.isStarted) meter.add('gen_ai.execute_tool.duration', seconds(begun, ended), by)
    if (outcome === 'refused')
      meter.add('cadre.denials', 1, { ...counted, 'cadre.decision.by': code ?? 'unknown' })
    this.#export(session, {
      name: `execute_tool ${call.tool}`,
      spanId: spanIdOf(session.trace.traceId, 'call', session.id, event.call),
      begun,
      ended,
      error,
      message: event.content,
      common: joinAttributes(joinAttributes(session.attributes, attributes), call.decision),
      values: {
        'gen_ai.tool.call.id': event.call,
        'cadre.call.outcome': outcome,
        'cadre.call.background': background,
      },
      content: {
        ...content.text('gen_ai.tool.call.arguments', call.input),
        ...content.text('gen_ai.tool.call.result', event.content),
      },
    })
  }

  #toolOf({ agent }: OpenSession, tool: string): KnownTool {
    return this.#tools(`${agent}\0${tool}`, () => ({
      attributes: attributesOf({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'gen_ai.tool.type': 'function',
      }),
      counted: this.#options.meter.intern({ 'gen_ai.tool.name': tool, 'gen_ai.agent.name': agent }),
    }))
  }

  #answer(session: OpenSession, event: EventOf<'person.answered'>): void {
    const question = session.questions.get(event.question)
    if (question === undefined) return
    session.questions.delete(event.question)
    const call = callOf(session, question.call)
    const operation = event.question.startsWith('doubt/') ? 'await_decision' : 'await_approval'
    const { begun } = question
    const ended = Math.max(begun, instantOf(event.answeredAt) || instantOf(event.at))
    const { meter, content } = this.#options
    const answer = { 'cadre.approval.decision': event.decision }
    meter.add('cadre.approval.duration', seconds(begun, ended), { 'gen_ai.tool.name': call.tool, ...answer })
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
      content: {
        ...content.text('cadre.approval.by', event.by),
        ...content.text('cadre.approval.reason', event.reason),
        ...content.text('cadre.approval.text', question.text),
      },
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
    meter.add('gen_ai.invoke_agent.duration', seconds(session.begun, ended), {
      'gen_ai.agent.name': session.agent,
      'gen_ai.request.model': session.name.model,
      'error.type': error,
    })
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
        'gen_ai.provider.name': session.name.provider,
        'gen_ai.agent.name': session.agent,
        'gen_ai.conversation.id': session.id,
        'gen_ai.request.model': session.name.model,
        ...usageValues(session.usage),
        'cadre.cost': session.usage.cost === undefined ? undefined : { double: session.usage.cost },
        'cadre.report.status': status,
      },
      content: {
        ...content.message('gen_ai.input.messages', 'user', session.input),
        ...content.message('gen_ai.output.messages', 'assistant', report.text),
      },
    })
    session.hasEnded = true
    session.calls.clear()
    session.questions.clear()
    this.#ended.add(session.id)
    if (this.#ended.size <= mostEnded) return
    const oldest = firstOf(this.#ended)
    this.#ended.delete(oldest)
    this.#sessions.delete(oldest)
  }

  #export(session: OpenSession, ended: EndedSpan): void {
    if (session.isSampled) this.#options.export(spanOf(session, ended, this.#options.content))
  }
}

/** What is the same for every call to a tool by an agent. */
interface KnownTool {
  readonly attributes: AttributeText
  readonly counted: Values
}

interface Reply {
  readonly attributes: AttributeText
  readonly content: Values
}

function firstOf(keys: Iterable<string>): string {
  const [first = ''] = keys
  return first
}
