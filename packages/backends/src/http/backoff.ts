import type { IncomingHttpHeaders } from 'node:http'

/**
 * The pause before the next attempt, after `failed` attempts, in milliseconds. Randomized, so that a thousand sessions do
 * not retry at once.
 */
export function backoff(failed: number, random: () => number, asked: number | undefined): number {
  if (asked !== undefined && asked > 0) return asked + random() * Math.min(1000, asked / 4)
  const max = Math.min(20_000, 500 * 2 ** (failed - 1))
  return max / 2 + (random() * max) / 2
}

/** Returns how long the server asks to wait, in milliseconds. */
export function retryAfter(headers: IncomingHttpHeaders, now: number): number | undefined {
  const ms = numberOf(headers['retry-after-ms'])
  if (ms !== undefined) return ms
  const text = headers['retry-after']
  const seconds = numberOf(text)
  if (seconds !== undefined) return seconds * 1000
  // Without letters it is not a date, whatever `Date.parse` returns.
  const date = text !== undefined && /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function numberOf(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || !/^\s*\d+(\.\d+)?\s*$/.test(header)) return undefined
  return Number(header)
}
