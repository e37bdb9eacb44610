/**
 * Owns the calls that wait for a scan of one folder, and gives the same scan to all that wait when the lock is free. A scan
 * takes milliseconds and a lock on disk, and a team makes hundreds of calls at the same time. Called by the checkpoints.
 *
 * 1. The scan of a call starts after `take` was called for it.
 * 2. If a scan for several calls fails, each gets its own, so that no call fails because of another.
 */
export class SharedScans<Call> {
  readonly #look: (calls: () => readonly Call[]) => Promise<void>
  #waiting: Waiting<Call>[] = []

  /** `look` gets its calls as late as possible, when it has the lock. */
  constructor(look: (calls: () => readonly Call[]) => Promise<void>) {
    this.#look = look
  }

  take(call: Call): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, resolve, reject })
      if (this.#waiting.length === 1) void this.#lookForAll()
    })
  }

  async #lookForAll(): Promise<void> {
    let taken: Waiting<Call>[] | undefined
    const takeAll = () => {
      if (taken === undefined) [taken, this.#waiting] = [this.#waiting, []]
      return taken
    }
    try {
      await this.#look(() => takeAll().map(({ call }) => call))
      for (const { resolve } of takeAll()) resolve()
    } catch (error) {
      const [first, ...others] = takeAll()
      if (others.length === 0) first?.reject(error)
      else for (const one of takeAll()) await this.#look(() => [one.call]).then(one.resolve, one.reject)
    }
  }
}

interface Waiting<Call> {
  readonly call: Call
  resolve(): void
  reject(error: unknown): void
}
