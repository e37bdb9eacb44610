/**
 * One turn of a conversation: the server requests the model and calls tools until it ends. Owns the pending call.
 *
 * 1. Every call is answered exactly once: with a result, as cancelled, or with a refusal.
 * 2. After `abandon`, no events are reported, and every further call is refused.
 * 3. Only one caller at a time waits in `next`.
 */

import type { Answer } from './server-process.ts'
import { TurnReader } from './turn-reader.ts'
import { invalidResponseMessage, readTurnAnswer } from './wire-readers.ts'
import type { ProgressValue, ToolAnswer, ToolInvocation, TurnAnswer } from './wire-types.ts'

export type LsTurnEvent =
  | { readonly kind: 'called'; readonly call: ToolInvocation }
  | { readonly kind: 'over'; readonly answer: TurnAnswer }
  /** The model keeps calling tools that do not exist: the server rejects them and asks again, without telling Cadre. */
  | { readonly kind: 'looping' }
  | { readonly kind: 'stopped' }
  | Exclude<Answer, { readonly kind: 'answer' }>

/** The maximum rounds without a call that reaches Cadre. */
const maxRoundsWithoutCall = 10
const refusedByServer =
  'the model called a tool that this agent does not have. The Copilot language server rejected the call.'

const tooLong = 'the Copilot language server sent more than 10 million characters in one turn.'

export interface TurnOptions {
  readonly token: string
  readonly session: string
  /** The request that starts it. */
  readonly method: string
  readonly now: () => number
}

export class LsTurn {
  readonly token: string
  readonly session: string
  readonly reader: TurnReader
  /** When the last event arrived. */
  lastEventAt: number
  /** The server has answered the request, or is gone. */
  isOver = false
  isAbandoned = false
  /** Receives pieces of text while a caller waits for the turn. */
  tell: ((delta: string) => void) | undefined
  /** Receives notices for a person. */
  warn: ((message: string) => void) | undefined
  readonly #method: string
  readonly #now: () => number
  readonly #warned = new Set<string>()
  readonly #events: LsTurnEvent[] = []
  readonly #answers = new Map<string, (answer: ToolAnswer) => void>()
  #wake: (() => void) | undefined
  #heardRound = 0
  #hasFailed = false

  constructor(options: TurnOptions) {
    this.token = options.token
    this.#method = options.method
    this.session = options.session
    this.#now = options.now
    this.lastEventAt = options.now()
    this.reader = new TurnReader((delta) => this.tell?.(delta))
  }

  get conversationId(): string | undefined {
    return this.reader.conversationId
  }

  /** Returns the next event, or `undefined` if there is none yet. */
  next(): LsTurnEvent | undefined {
    return this.#events.shift()
  }

  /** Calls back once when something has happened. */
  onEvent(wake: () => void): void {
    this.#wake = wake
  }

  progressed(value: ProgressValue): void {
    if (this.#hasFailed) return
    this.lastEventAt = this.#now()
    const before = this.reader.round
    this.reader.read(value)
    if (this.reader.isTooLong) this.fail(tooLong)
    if (this.#hasFailed) return
    // The server itself rejects calls of unregistered tools, and reports only some of them.
    if (this.reader.round > before && before > this.#heardRound) this.#warnOnce(refusedByServer)
    if (this.reader.round - this.#heardRound > maxRoundsWithoutCall && !this.isOver) {
      this.#heardRound = this.reader.round
      this.#happened({ kind: 'looping' })
    }
    for (const { message } of value.notifications ?? []) if (message) this.#warnOnce(message)
  }

  called(call: ToolInvocation): Promise<ToolAnswer> {
    if (this.isAbandoned || this.isOver || this.#hasFailed)
      return Promise.resolve(refusedAnswer('The turn was stopped.'))
    if (this.#answers.has(call.toolCallId))
      return Promise.resolve(refusedAnswer('A call with this id is already pending.'))
    this.#heardRound = this.reader.round
    return new Promise((resolve) => {
      this.#answers.set(call.toolCallId, resolve)
      this.#happened({ kind: 'called', call })
    })
  }

  answered(answer: Answer): void {
    this.isOver = true
    if (this.isAbandoned || this.#hasFailed) return
    if (answer.kind !== 'answer') {
      this.#happened(answer)
      return
    }
    const value = readTurnAnswer(answer.value)
    this.reader.answered(value)
    if (value === undefined) this.fail(invalidResponseMessage(this.#method))
    else if (this.reader.isTooLong) this.fail(tooLong)
    else this.#happened({ kind: 'over', answer: value })
  }

  /** Ends it for all callers, whatever the server still does. */
  fail(message: string): void {
    if (this.#hasFailed || this.isAbandoned) return
    this.#hasFailed = true
    this.reader.end = { error: { message }, isCancelled: false }
    this.#happened({ kind: 'over', answer: {} })
  }

  /** Passes a result to the server. Returns false if the server does not wait for it. */
  give(toolCallId: string, result: string): boolean {
    const answer = this.#answers.get(toolCallId)
    if (answer === undefined || this.isAbandoned) return false
    this.#answers.delete(toolCallId)
    this.lastEventAt = this.#now()
    answer([{ content: [{ value: result }], status: 'success' }, null])
    return true
  }

  abandon(): void {
    this.isAbandoned = true
    this.tell = undefined
    this.warn = undefined
    for (const answer of this.#answers.values())
      answer([{ content: [{ value: 'The turn was stopped.' }], status: 'cancelled' }, null])
    this.#answers.clear()
    this.#events.length = 0
    this.#happened({ kind: 'stopped' })
  }

  #warnOnce(message: string): void {
    if (this.#warned.has(message)) return
    this.#warned.add(message)
    this.warn?.(message)
  }

  #happened(event: LsTurnEvent): void {
    this.lastEventAt = this.#now()
    this.#events.push(event)
    this.#wake?.()
  }
}

export function refusedAnswer(message: string): ToolAnswer {
  return [null, { code: -32000, message }]
}
