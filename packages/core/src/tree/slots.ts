/**
 * How many delegated sessions of a run work at the same time. Owned by the run's tree; taken and given back by the loop.
 *
 * 1. Never more than `limit` are held.
 * 2. Nobody is refused: who finds none free waits in order of asking.
 * 3. A session that waits for its children holds none, so that waiting parents cannot starve the children they wait for.
 */
export class Slots {
  readonly #limit: number
  #held = 0
  readonly #queue: (() => void)[] = []

  constructor(limit: number) {
    this.#limit = Math.max(1, limit)
  }

  /** True when a slot was free and is now held. */
  tryTake(): boolean {
    if (this.#held >= this.#limit) return false
    this.#held += 1
    return true
  }

  /** Resolves true with a slot held, or false when aborted before there was one. */
  take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    if (this.tryTake()) return Promise.resolve(true)
    return new Promise((resolve) => {
      const grant = () => {
        signal.removeEventListener('abort', giveUp)
        resolve(true)
      }
      const giveUp = () => {
        this.#queue.splice(this.#queue.indexOf(grant), 1)
        resolve(false)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#queue.push(grant)
    })
  }

  give(): void {
    const next = this.#queue.shift()
    // The slot goes straight to the next in line, so that nobody can slip in between.
    if (next !== undefined) next()
    else this.#held -= 1
  }
}
