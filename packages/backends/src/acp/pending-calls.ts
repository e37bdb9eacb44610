/**
 * Owns the calls of an agent program that wait for Cadre.
 *
 * 1. Every call is answered exactly once: with its result, because the program gave it up, or because the conversation is closed.
 * 2. Calls are taken together, for one reply, and answered together.
 */
import { randomBytes } from 'node:crypto'
import type { WireCall } from '@cadre/core'
import type { Continuation } from '../continuation.ts'
import type { ToolAnswer } from './offer-tools.ts'

interface HeldCall {
  readonly call: WireCall
  /** False: the program no longer waits. */
  isWaiting: boolean
  settle(answer: ToolAnswer): void
}

const stopped: ToolAnswer = { content: 'The session was stopped.' }

export class PendingCalls {
  readonly #called: () => void
  readonly #held: HeldCall[] = []
  /** The calls of the last reply. */
  #taken: HeldCall[] = []
  #isClosed = false

  /** `called`: a call waits. */
  constructor(called: () => void) {
    this.#called = called
  }

  /** Resolves with the result of the call. */
  hold(name: string, input: unknown, { signal, id = callId() }: HoldOptions = {}): Promise<ToolAnswer> {
    if (this.#isClosed) return Promise.resolve(stopped)
    return new Promise((resolve) => {
      const held: HeldCall = {
        call: { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } },
        isWaiting: true,
        settle(answer) {
          held.isWaiting = false
          resolve(answer)
        },
      }
      signal?.addEventListener('abort', () => held.settle({ content: 'The call was cancelled.' }), {
        once: true,
      })
      this.#held.push(held)
      this.#called()
    })
  }

  /** Takes the calls that wait for a result. */
  take(): WireCall[] {
    this.#taken = this.#held.splice(0).filter(({ isWaiting }) => isWaiting)
    return this.#taken.map(({ call }) => call)
  }

  /** The program gave up a call that was taken, so it would not receive the result. */
  get isGivenUp(): boolean {
    return this.#taken.some(({ isWaiting }) => !isWaiting)
  }

  /** Answers the calls that were taken. Returns false if there are none. */
  answer({ results, said }: Continuation): boolean {
    const calls = this.#taken
    this.#taken = []
    for (const [index, held] of calls.entries()) {
      const { content = '', images } = results[index] ?? {}
      // Messages that arrived in the meantime can only be sent together with a result.
      const more = index === calls.length - 1 ? said : []
      const text = [content, ...more.map((one) => `<user_message>\n${one.content}\n</user_message>`)]
      const seen = [...(images ?? []), ...more.flatMap((one) => one.images ?? [])]
      held.settle({ content: text.join('\n\n'), ...(seen.length > 0 && { images: seen }) })
    }
    return calls.length > 0
  }

  close(): void {
    this.#isClosed = true
    const open = [...this.#held.splice(0), ...this.#taken]
    this.#taken = []
    for (const held of open) held.settle(stopped)
  }
}

interface HoldOptions {
  readonly signal?: AbortSignal
  readonly id?: string
}

/** Random, because a session keeps its calls when it gets another conversation. */
export function callId(): string {
  return `call_${randomBytes(8).toString('hex')}`
}
