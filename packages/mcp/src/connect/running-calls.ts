/**
 * Owns the calls that a server is working on, and their time limits.
 *
 * 1. Each call has an idle timeout, which progress restarts. While a person answers the server's question, no call on the connection
 *    times out.
 * 2. A question ends when the last call ends, so that no question remains open after its call was cancelled.
 * 3. A server may ask only during a call, and only a few questions.
 */
import type { Caller, ElicitationAnswer } from '../elicit/elicitation.ts'

/** The number of questions that a server may ask during overlapping calls. */
const mostQuestions = 20

export interface RunningCall {
  /** Aborted if the caller cancels, and if the server is silent for too long. */
  readonly signal: AbortSignal
  progressed(): void
  end(): void
}

interface Running {
  readonly caller: Caller | undefined
  readonly notice: ((message: string) => void) | undefined
  readonly restart: () => void
  readonly hold: () => void
}

export interface RunningCallOptions {
  readonly signal: AbortSignal
  readonly idleLimit: number
  readonly caller?: Caller | undefined
  readonly notice?: ((message: string) => void) | undefined
}

export class RunningCalls {
  readonly #calls = new Set<Running>()
  #questions = 0
  #open = 0
  /** Aborted when the last call ends. */
  #over = new AbortController()

  get callers(): readonly Caller[] {
    return [...this.#calls].flatMap(({ caller }) => (caller === undefined ? [] : [caller]))
  }

  start({ signal, idleLimit, caller, notice }: RunningCallOptions): RunningCall {
    if (this.#calls.size === 0) {
      this.#questions = 0
      this.#over = new AbortController()
    }
    const silent = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const hold = () => clearTimeout(timer)
    const restart = () => {
      hold()
      if (this.#open > 0 || !this.#calls.has(call)) return
      timer = setTimeout(() => silent.abort(new Error(timedOut(idleLimit))), idleLimit)
    }
    const call = { caller, notice, restart, hold }
    this.#calls.add(call)
    restart()
    return {
      signal: AbortSignal.any([signal, silent.signal]),
      progressed: restart,
      end: () => {
        hold()
        this.#calls.delete(call)
        if (this.#calls.size === 0) this.#over.abort()
      },
    }
  }

  /** Counts a question. */
  mayAsk(): boolean {
    this.#questions += 1
    return this.#calls.size > 0 && this.#questions <= mostQuestions
  }

  /** Asks a person while all timeouts are paused, and passes the answer's notice to the callers. */
  async ask(
    elicit: (signal: AbortSignal) => Promise<ElicitationAnswer>,
    signal: AbortSignal,
  ): Promise<ElicitationAnswer> {
    this.#open += 1
    for (const { hold } of this.#calls) hold()
    const ends = AbortSignal.any([signal, this.#over.signal])
    try {
      const answer = await orCancelled(elicit(ends), ends)
      if (answer.notice !== undefined) for (const { notice } of this.#calls) notice?.(answer.notice)
      return answer
    } finally {
      this.#open -= 1
      if (this.#open === 0) for (const { restart } of this.#calls) restart()
    }
  }
}

/** Some surfaces cannot close a question that they show. */
async function orCancelled(
  asked: Promise<ElicitationAnswer>,
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  let cancel = () => {}
  const cancelled = new Promise<ElicitationAnswer>((resolve) => {
    cancel = () => resolve({ action: 'cancel' })
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel, { once: true })
  })
  return Promise.race([asked, cancelled]).finally(() => signal.removeEventListener('abort', cancel))
}

function timedOut(ms: number): string {
  return `Request timed out: the server was silent for ${ms >= 1_000 ? `${Math.round(ms / 1_000)} s` : `${ms} ms`}`
}
