import type { Clock } from '@cadre/core'

export interface FakeClock extends Clock {
  /** Advances the time, and runs all callbacks that become due, in order. */
  advance(ms: number): void
}

/** A clock that only moves with `advance`. */
export function createFakeClock(start = Date.UTC(2026, 0, 1)): FakeClock {
  let now = start
  let order = 0
  const due = new Map<number, { at: number; callback: () => void }>()
  return {
    now: () => now,
    after(ms, callback) {
      const id = order++
      due.set(id, { at: now + ms, callback })
      return () => void due.delete(id)
    },
    advance(ms) {
      const end = now + ms
      for (;;) {
        const next = [...due]
          .filter(([, timer]) => timer.at <= end)
          .sort((a, b) => a[1].at - b[1].at || a[0] - b[0])[0]
        if (next === undefined) break
        due.delete(next[0])
        now = next[1].at
        next[1].callback()
      }
      now = end
    },
  }
}
