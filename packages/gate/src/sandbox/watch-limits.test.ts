import { describe, expect, it } from 'vitest'
import { memoryShortage } from './watch-limits.ts'

const meminfo = (total: number, available: number) =>
  `MemTotal:       ${total} kB\nMemFree:          100 kB\nMemAvailable:   ${available} kB\nBuffers: 1 kB\n`

describe('shortage', () => {
  it.each([
    ['a small machine with a tenth left', 2_000_000, 200_000, undefined],
    ['a small machine with hardly anything left', 2_000_000, 70_000, 70_000 * 1024],
    ['a large machine', 64_000_000, 600_000, undefined],
    ['a large machine with hardly anything left', 64_000_000, 500_000, 500_000 * 1024],
  ])('%s', (_, total, available, expected) => {
    expect(memoryShortage(meminfo(total, available))).toBe(expected)
  })

  it('returns nothing without the numbers', () => {
    expect(memoryShortage('')).toBeUndefined()
  })
})
