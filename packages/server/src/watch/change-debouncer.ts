/** A file that keeps changing is reported after this many settle times. */
const maxPostponed = 20

interface Waiting {
  /** When it first changed since its last report. */
  readonly since: number
  last: number
}

/** Reports changed keys when they have been unchanged for a while. Uses one timer for all. */
export class ChangeDebouncer {
  readonly #ms: number
  readonly #settled: (keys: readonly string[]) => void
  readonly #waiting = new Map<string, Waiting>()
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number, settled: (keys: readonly string[]) => void) {
    this.#ms = ms
    this.#settled = settled
  }

  touch(key: string): void {
    const now = performance.now()
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) waiting.last = now
    else this.#waiting.set(key, { since: now, last: now })
    this.#timer ??= setTimeout(this.#look, this.#ms)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#waiting.clear()
  }

  readonly #look = (): void => {
    this.#timer = undefined
    const now = performance.now()
    const quiet: string[] = []
    let next = Number.POSITIVE_INFINITY
    for (const [key, { since, last }] of this.#waiting) {
      const due = Math.min(last + this.#ms, since + this.#ms * maxPostponed)
      // Timers fire a little early.
      if (due <= now + 1) quiet.push(key)
      else next = Math.min(next, due)
    }
    for (const key of quiet) this.#waiting.delete(key)
    if (this.#waiting.size > 0) this.#timer = setTimeout(this.#look, Math.max(1, next - now))
    if (quiet.length > 0) this.#settled(quiet)
  }
}
