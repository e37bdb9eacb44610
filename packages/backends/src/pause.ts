import type { Clock } from '@cadre/core'

/** The longest delay of a Node timer. A longer one would fire immediately. */
const maxDelay = 2 ** 31 - 1

/** The system clock, as in `@cadre/disk`, which this package may not import. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), maxDelay)).unref()
    return () => clearTimeout(timer)
  },
}

/**
 * Waits on the clock; resolves to false immediately if aborted. A clock does not keep the process alive, but a caller is
 * waiting for this reply, so the wait does. `ms` may be `Infinity`: then only an abort ends it.
 */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const alive = setInterval(() => {}, maxDelay)
    const cancelTimer = ms === Infinity ? undefined : clock.after(ms, () => end(true))
    const stop = () => end(false)
    signal.addEventListener('abort', stop)

    function end(waited: boolean) {
      clearInterval(alive)
      cancelTimer?.()
      signal.removeEventListener('abort', stop)
      resolve(waited)
    }
  })
}
