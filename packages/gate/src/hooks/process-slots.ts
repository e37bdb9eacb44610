/**
 * Owns how many hook processes run at once in this process. Whoever starts one takes a slot before and gives it back after.
 * 1. Never more than `most` are taken.
 * 2. Slots are given in the order in which they were asked for.
 * 3. Who is aborted while waiting gets none and holds up nobody.
 */
export interface ProcessSlots {
  /** False when it was aborted before there was one: then nothing is to be given back. */
  take(signal: AbortSignal): Promise<boolean>
  give(): void
}

export function createProcessSlots(most: number): ProcessSlots {
  let free = most
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
