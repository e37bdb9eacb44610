/**
 * Sends every request to a model: rounds and summaries, at any depth. Under a token or money budget it reserves the input and the
 * longest reply before it sends a request, limits the reply to that, records the request so that it counts after a crash, and
 * settles it with the usage that the server reports. A retry by a backend is a new request.
 *
 * 1. No request is sent without a reservation, and the reservation is on disk first.
 * 2. A request that may have been billed counts in full, unless the server reports its usage.
 */

import type { EventDraft } from '../ports/entry.ts'
import { messageOf } from '../ports/errors.ts'
import type { Model, ModelRequest, Price, Reply, ReplyFailure, ReplyHooks, Spent } from '../ports/model.ts'
import type { Usage } from '../ports/report.ts'
import { notice, record, type Session } from '../session/session.ts'
import { untilStopped } from '../session/until-stopped.ts'
import type { Reservation } from './budget.ts'
import { maxTokens, type RequestSize, sizeOf } from './request-size.ts'
import { hasCostLimit, hasRequestLimit, reserveRequest } from './reserve-request.ts'

/** The longest reply under a budget when the limit of the model is unknown. */
const defaultReplyLimit = 16_384

export type ModelQuestion = Omit<
  ModelRequest,
  'agent' | 'session' | 'parent' | 'workspace' | 'permits' | 'maxOutput'
>

export type RequestFailure =
  | ReplyFailure
  | {
      readonly kind: 'failed'
      readonly code: 'budget_exceeded'
      readonly message: string
      readonly tooLong?: undefined
    }

/** Failures that no server bills. */
const unbilledFailures: readonly string[] = ['unknown_model', 'tools_unsupported']

const cancelled: ReplyFailure = { kind: 'failed', code: 'cancelled', message: 'cancelled' }

/** Asks the session's model. Never rejects, except when the request cannot be recorded. */
export function askModel(
  session: Session,
  question: ModelQuestion,
  hooks: Omit<ReplyHooks, 'again'>,
): Promise<Reply | RequestFailure> {
  const { model, spec, permits } = session
  if (model.supportsTools === false && question.tools.length > 0) return Promise.resolve(withoutTools(model))
  const request: ModelRequest = {
    agent: spec.agent.name,
    session: spec.id,
    ...(spec.parent && { parent: spec.parent.session }),
    workspace: spec.workspace,
    permits,
    ...question,
  }
  return hasRequestLimit(session) ? askMetered(session, request, hooks) : send(session, request, hooks)
}

async function askMetered(
  session: Session,
  request: ModelRequest,
  hooks: Omit<ReplyHooks, 'again'>,
): Promise<Reply | RequestFailure> {
  const refusal = unfitForBudget(session)
  if (refusal !== undefined) return refusal
  const meter = new Meter(session, request)
  try {
    const begun = await meter.begin()
    if (begun.kind === 'failed') return begun
    let refused: RequestFailure | undefined
    const again: ReplyHooks['again'] = async (spent) => {
      await meter.settle(spent)
      const next = await meter.begin()
      if (next.kind === 'begun') return next
      refused = next
      return undefined
    }
    const reply = await send(session, { ...request, maxOutput: begun.maxOutput }, { ...hooks, again })
    await meter.settle(reply.kind === 'reply' ? reply.usage : spentBy(reply), reply.kind === 'reply')
    return reply.kind === 'failed' && refused !== undefined ? refused : reply
  } finally {
    meter.close()
  }
}

/** Backends must end when aborted and must not throw, but cancelling does not rely on it. */
function send(session: Session, request: ModelRequest, hooks: ReplyHooks): Promise<Reply | ReplyFailure> {
  const { model, node } = session
  const stop = request.purpose === undefined ? node.reply : node.question
  // A separate controller, so that one reply can be aborted without the session.
  const controller = new AbortController()
  const { signal } = controller
  const text = (delta: string) => {
    if (!signal.aborted) hooks.text(delta)
  }
  return new Promise((resolve) => {
    const giveUp = () => {
      controller.abort(node.reason)
      settle(cancelled)
    }
    const unsubscribe = stop.onStop(giveUp)
    const settle = (reply: Reply | ReplyFailure) => {
      unsubscribe()
      resolve(withPrice(reply, model))
    }
    if (stop.isStopped) giveUp()
    model.reply(request, { ...hooks, text }, signal).then(settle, (error) => {
      settle({ kind: 'failed', code: 'backend', message: `${model.id} failed: ${messageOf(error)}` })
    })
  })
}

function withoutTools({ id }: Model): ReplyFailure {
  return { kind: 'failed', code: 'tools_unsupported', message: `${id} does not support tools` }
}

/** Returns the reason why a model cannot be used under this budget. */
function unfitForBudget(session: Session): RequestFailure | undefined {
  const { model } = session
  const refused = (message: string) => ({ kind: 'failed', code: 'budget_exceeded', message }) as const
  if (model.capsReplies !== true)
    return refused(
      `the backend of ${model.id} cannot limit the length of a reply, so Cadre cannot enforce a token or money budget. Use another model, or remove the budget`,
    )
  if (hasCostLimit(session) && model.price === undefined)
    return refused(
      `the price of ${model.id} is unknown, so Cadre cannot enforce a money budget. Set models["${model.id}"].price in config.yaml, in dollars per million tokens, or remove the budget`,
    )
  return undefined
}

/** Meters the HTTP requests of one model request: the first one and its retries. */
class Meter {
  readonly #session: Session
  readonly #size: RequestSize
  readonly #name: string
  #held: Reservation | undefined
  #settled: () => Promise<void> = () => Promise.resolve()
  #isClosed = false

  constructor(session: Session, request: ModelRequest) {
    this.#session = session
    this.#size = sizeOf(session.model.id, request)
    this.#name = `request/${request.purpose ?? 'reply'}/${session.state.round}/${session.state.seq}`
  }

  async begin(): Promise<{ readonly kind: 'begun'; readonly maxOutput: number } | RequestFailure> {
    const { model, node, state } = this.#session
    const input = maxTokens(this.#size, state.measuredRequest)
    const wanted = {
      input,
      output: model.maxOutput ?? defaultReplyLimit,
      ...(model.price && { price: highestPrice(model.price) }),
    }
    if (this.#isClosed) return cancelled
    const reserved = await reserveRequest(this.#session, wanted)
    if (reserved.kind === 'stopped') return cancelled
    if (reserved.kind === 'refused')
      return { kind: 'failed', code: 'budget_exceeded', message: reserved.reason }
    this.#held = reserved.reservation
    this.#settled = reserved.settled
    const { output, max } = reserved.reservation
    await this.#record({
      type: 'request.sent',
      input,
      output,
      ...(reserved.id !== undefined && { reservation: reserved.id }),
      ...(model.price && { cost: max.nanos / 1e9 }),
      ...this.#size,
    })
    // Stopped before anything was sent, so it costs nothing.
    if (this.#isClosed || node.question.isStopped) {
      await this.settle('nothing')
      return cancelled
    }
    return { kind: 'begun', maxOutput: output }
  }

  /** `isRecorded`: the reply already records the usage. Unknown usage is not recorded. */
  async settle(spent: Spent | undefined, isRecorded = false): Promise<void> {
    const held = this.#held
    this.#held = undefined
    if (held === undefined) return
    const usage = priced(spent === 'nothing' ? { input: 0, output: 0 } : spent, this.#session.model)
    const beyond = held.settle(usage)
    if (usage !== undefined && !isRecorded)
      await this.#record({ type: 'request.settled', usage: { ...usage } })
    if (beyond > 0) await this.#noticeExcess(held, beyond)
    await untilStopped(this.#settled(), this.#session.node.question, undefined)
  }

  /** Gives up a request that is still in flight. It may have been billed, so it counts in full. */
  close(): void {
    this.#isClosed = true
    this.#held?.settle(undefined)
    this.#held = undefined
  }

  #noticeExcess({ max }: Reservation, beyond: number): Promise<void> {
    const { model } = this.#session
    return notice(
      this.#session,
      'budget_exceeded',
      `${model.id} reports ${max.tokens + beyond} tokens for a request limited to ${max.tokens}: its server ignores the limit, so Cadre cannot enforce the budget`,
    )
  }

  async #record(event: Omit<EventDraft, 'role'>): Promise<void> {
    const draft = { role: 'event', ...event } as EventDraft
    await record(this.#session, this.#name, () => [draft], { durable: true })
  }
}

/** How much of the input the server writes to its cache is unknown before the reply, and writing can cost more than plain input. */
function highestPrice({ input, output, cacheRead = 0, cacheWrite = 0 }: Price): Price {
  return { input: Math.max(input, cacheRead, cacheWrite), output }
}

function spentBy(failure: ReplyFailure): Spent | undefined {
  // Servers reject these before they do any work.
  return failure.tooLong || unbilledFailures.includes(failure.code) ? 'nothing' : failure.spent
}

function withPrice<T extends Reply | ReplyFailure>(reply: T, model: Model): T {
  if (reply.kind !== 'reply') return reply
  const usage = priced(reply.usage, model)
  return usage === undefined ? reply : { ...reply, usage }
}

function priced(usage: Usage | undefined, model: Model): Usage | undefined {
  if (usage === undefined || usage.cost !== undefined || model.price === undefined) return usage
  return { ...usage, cost: costOf(usage, model.price) }
}

function costOf({ input, output, cacheRead = 0, cacheWrite = 0 }: Usage, price: Price): number {
  const plain = Math.max(0, input - cacheRead - cacheWrite)
  const cached = cacheRead * (price.cacheRead ?? price.input) + cacheWrite * (price.cacheWrite ?? price.input)
  return (plain * price.input + cached + output * price.output) / 1e6
}
