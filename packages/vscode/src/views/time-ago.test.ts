import { expect, test } from 'vitest'
import { timeAgo } from './time-ago.ts'

test.each([
  ['2026-01-31T11:59:30.000Z', 'now'],
  ['2026-01-31T12:00:30.000Z', 'now'],
  ['2026-01-31T11:55:00.000Z', '5 min ago'],
  ['2026-01-31T09:00:00.000Z', '3 h ago'],
  ['2026-01-29T12:00:00.000Z', '2 d ago'],
  ['2025-12-01T12:00:00.000Z', '2025-12-01'],
  ['no time', ''],
])('%s is %j', (time, expected) => {
  expect(timeAgo(time, Date.parse('2026-01-31T12:00:00.000Z'))).toBe(expected)
})
