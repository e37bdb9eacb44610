/**
 * Limits how many hook processes run at once in this process. A caller takes a slot before it starts one, and releases it
 * afterwards.
 * 1. At most `most` slots are taken.
 * 2. Slots are assigned in the order of the requests.
 * 3. A request that is aborted while waiting gets no slot and blocks nobody.
 */
export interface ProcessSlots {
  /** Resolves with false if aborted before a slot was free: then there is nothing to release. */
  take(signal: AbortSignal): Promise<boolean>
  give(): void
}

export function createProcessSlots(max: number): ProcessSlots {
  let free = max
  const waiting: ((got: boolean) => void)[] = []
  return {
    take(signal) {
      if (signal.aborted) return Promise.resolve(false)
      if (free > 0) {
        free -= 1
        return Promise.resolve(true)
      }
      return new Promise((resolve) => {
        const settle = (got: boolean) => {
          signal.removeEventListener('abort', leave)
          resolve(got)
        }
        const leave = () => {
          waiting.splice(waiting.indexOf(settle), 1)
          settle(false)
        }
        signal.addEventListener('abort', leave, { once: true })
        waiting.push(settle)
      })
    },
    give() {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next(true)
    },
  }
}
