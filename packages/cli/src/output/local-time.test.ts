import { afterEach, expect, it } from 'vitest'
import { localTime } from './local-time.ts'

const own = process.env['TZ']
afterEach(() => {
  if (own === undefined) delete process.env['TZ']
  else process.env['TZ'] = own
})

it.each([
  ['Asia/Tokyo', '2026-11-16T20:05:09.123Z', '2026-11-17 05:05:09'],
  ['America/New_York', '2026-07-01T03:00:00Z', '2026-06-30 23:00:00'],
  ['UTC', '2026-11-16T20:05:09.123Z', '2026-11-16 20:05:09'],
  ['UTC', 'yesterday', 'yesterday'],
])('shows the time in %s', (zone, instant, expected) => {
  process.env['TZ'] = zone
  expect(localTime(instant)).toBe(expected)
})
