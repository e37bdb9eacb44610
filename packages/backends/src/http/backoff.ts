import type { IncomingHttpHeaders } from 'node:http'

/** Milliseconds before the next try, after `failed` tries. Spread out, so that a thousand sessions do not come back at once. */
export function backoff(failed: number, random: () => number, asked: number | undefined): number {
  if (asked !== undefined && asked > 0) return asked + random() * Math.min(1000, asked / 4)
  const most = Math.min(20_000, 500 * 2 ** (failed - 1))
  return most / 2 + (random() * most) / 2
}

/** How long the server asks to wait, in milliseconds. */
export function retryAfter(headers: IncomingHttpHeaders, now: number): number | undefined {
  const ms = numberOf(headers['retry-after-ms'])
  if (ms !== undefined) return ms
  const text = headers['retry-after']
  const seconds = numberOf(text)
  if (seconds !== undefined) return seconds * 1000
  // Without letters it is no date, whatever `Date.parse` makes of it.
  const date = text !== undefined && /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function numberOf(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || !/^\s*\d+(\.\d+)?\s*$/.test(header)) return undefined
  return Number(header)
}
