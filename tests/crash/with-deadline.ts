import { setTimeout as delay } from 'node:timers/promises'

/** Nothing takes this long, even on a busy machine. */
const limit = 300_000

/** Waits for work, and fails with a sentence that names it. */
export async function withDeadline<T>(work: Promise<T>, what: () => string): Promise<T> {
  const stop = new AbortController()
  const late = delay(limit, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`Waited ${limit / 1000} seconds for ${what()}`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    stop.abort()
    late.catch(() => {})
  }
}

/** Waits for a condition, and fails with a sentence that names it. */
export async function until(isSo: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  const end = Date.now() + limit
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`Waited ${limit / 1000} seconds for ${what()}`)
    await delay(20)
  }
}
