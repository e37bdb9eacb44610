import { expect, test, vi } from 'vitest'
import { Arrivals } from './arrivals.ts'

test('a new attempt ends the earlier ones of its tree, and no others', () => {
  const arrivals = new Arrivals()
  const [first, other] = [arrivals.arrive('lead-1'), arrivals.arrive('lead-2')]
  const second = arrivals.arrive('lead-1')
  expect([first, second, other].map(({ lost }) => lost.aborted)).toEqual([true, false, false])
  // It is over, but the one that replaced it is not.
  first.left(true)
  other.left(true)
  expect(arrivals.areOver).toBe(false)
  second.left(true)
  expect(arrivals.areOver).toBe(true)
})

test('an attempt that failed may return for some seconds', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  try {
    const arrivals = new Arrivals()
    const first = arrivals.arrive('lead-1')
    first.left(false)
    // Only the first call has an effect.
    first.left(true)
    expect(arrivals.areOver).toBe(false)
    arrivals.arrive('lead-1').left(true)
    expect(arrivals.areOver).toBe(true)
    arrivals.arrive('lead-1').left(false)
    now.mockReturnValue(4_000)
    arrivals.arrive('lead-2').left(false)
    now.mockReturnValue(6_000)
    expect(arrivals.areOver).toBe(false)
    now.mockReturnValue(10_000)
    expect(arrivals.areOver).toBe(true)
  } finally {
    now.mockRestore()
  }
})
