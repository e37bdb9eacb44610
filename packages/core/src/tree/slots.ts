/**
 * Limits how many delegated sessions of a run are active at the same time. Each tree owns one; the loop takes and releases slots.
 *
 * 1. Never more than `limit` are held.
 * 2. No request is refused. If no slot is free, requests wait in order.
 * 3. A session that waits for its children holds no slot, so waiting parents cannot starve their children.
 */
export class Slots {
  readonly #limit: number
  #held = 0
  readonly #queue: (() => void)[] = []

  constructor(limit: number) {
    this.#limit = Math.max(1, limit)
  }

  /** Takes a slot and returns true, if one is free. */
  tryTake(): boolean {
    if (this.#held >= this.#limit) return false
    this.#held += 1
    return true
  }

  /** Resolves to true when it holds a slot, or to false if aborted first. */
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
    // The slot goes directly to the next in the queue, so that no other request can take it.
    if (next !== undefined) next()
    else this.#held -= 1
  }
}
