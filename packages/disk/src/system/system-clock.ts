import type { Clock } from '@cadre/core'

/** The longest a timer of Node can wait; anything longer would fire at once. */
const longest = 2 ** 31 - 1

/** The system's time. Its timers do not keep the process alive: a time limit is no reason to go on living. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, ms), longest)).unref()
    return () => clearTimeout(timer)
  },
}
