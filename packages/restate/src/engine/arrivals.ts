/**
 * Owns which attempts of the server to run trees are in progress in this process. Called by the engine.
 *
 * 1. The server begins an attempt only after it has given up all earlier ones of the tree, even if their connection does not show it. So
 *    only the attempt that arrived last may run its tree here, no matter which of them has read its journal first.
 * 2. The server repeats an attempt that failed after a pause, perhaps here: its journal binds it to the address of this worker. Until the
 *    longest pause is over, it may return.
 */
export interface Arrival {
  /** Fires when a later attempt has arrived. */
  readonly lost: AbortSignal
  /** The attempt is over. `isDone`: its invocation has ended too. Only the first call has an effect. */
  left(isDone: boolean): void
}

/** The server pauses for up to a second, and then has to connect. In milliseconds. */
const returnLimit = 5_000

export class Arrivals {
  readonly #last = new Map<string, AbortController>()
  /** When the last attempt of a tree failed. Older failures come first. */
  readonly #failed = new Map<string, number>()

  arrive(root: string): Arrival {
    this.#last.get(root)?.abort()
    this.#failed.delete(root)
    const own = new AbortController()
    this.#last.set(root, own)
    return {
      lost: own.signal,
      left: (isDone) => {
        if (this.#last.get(root) !== own) return
        this.#last.delete(root)
        this.#forgetOld()
        if (!isDone) this.#failed.set(root, performance.now())
      },
    }
  }

  /** No attempt is in progress or may return. */
  get areOver(): boolean {
    this.#forgetOld()
    return this.#last.size === 0 && this.#failed.size === 0
  }

  #forgetOld(): void {
    for (const [root, at] of this.#failed) {
      if (performance.now() - at < returnLimit) return
      this.#failed.delete(root)
    }
  }
}
