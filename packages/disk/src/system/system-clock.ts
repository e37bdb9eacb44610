import type { Clock } from '@cadre/core'

/** The longest delay of a Node timer. A longer one would fire immediately. */
const maxDelay = 2 ** 31 - 1

/** The system clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), maxDelay)).unref()
    return () => clearTimeout(timer)
  },
}
