import { describe, expect, it } from 'vitest'
import { backoff, retryAfter } from './backoff.ts'

describe('backing off', () => {
  it('doubles, up to a limit, with jitter', () => {
    const min = [1, 2, 3, 4, 20].map((failed) => backoff(failed, () => 0, undefined))
    const max = [1, 2, 3, 4, 20].map((failed) => backoff(failed, () => 1, undefined))
    expect(min).toEqual([250, 500, 1000, 2000, 10_000])
    expect(max).toEqual([500, 1000, 2000, 4000, 20_000])
  })

  it('is never shorter than the server requires', () => {
    expect(backoff(1, () => 0, 7000)).toBe(7000)
    expect(backoff(1, () => 1, 7000)).toBe(8000)
    expect(backoff(1, () => 0, 0)).toBe(250)
  })
})

describe('the wait that the server requires', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:03 GMT' }, 3000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '120', 'retry-after': '7' }, 120],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-1' }, undefined],
    [{}, undefined],
  ])('%j is %j', (headers, ms) => {
    expect(retryAfter(headers, now)).toBe(ms)
  })
})
