import { describe, expect, it } from 'vitest'
import { defaultLimits, type RunLimits, withinCeilings } from './limits.ts'

describe('withinCeilings', () => {
  it('keeps limits without a ceiling, also those that are not known here', () => {
    const limits = { ...defaultLimits, pages: 5, label: 'x', budget: { calls: 3, pages: 2 } } as RunLimits
    expect(withinCeilings(limits, {})).toEqual(limits)
    expect(withinCeilings(limits, { depth: 1, budget: { cost: 1 } })).toEqual({
      ...limits,
      depth: 1,
      budget: { ...limits.budget, cost: 1 },
    })
  })

  it('lowers every limit that has a ceiling, and sets a missing one', () => {
    const ceilings = { depth: 9, sessions: 2, pages: 3, lines: 4, budget: { tokens: 5, pages: 1 } }
    const limits = { ...defaultLimits, pages: 5, budget: { tokens: 9, pages: 2 } }
    expect(withinCeilings(limits, ceilings as Partial<RunLimits>)).toEqual({
      ...defaultLimits,
      sessions: 2,
      pages: 3,
      lines: 4,
      budget: { tokens: 5, pages: 1 },
    })
  })

  it('reads 0 identical calls as no limit', () => {
    const { identicalCalls } = withinCeilings({ ...defaultLimits, identicalCalls: 0 }, { identicalCalls: 7 })
    expect(identicalCalls).toBe(7)
    expect(withinCeilings(defaultLimits, { identicalCalls: 0 }).identicalCalls).toBe(20)
  })

  it('uses the ceiling if a value from a file is not a number', () => {
    const limits = { ...defaultLimits, depth: 'many' } as unknown as RunLimits
    expect(withinCeilings(limits, { depth: 2 }).depth).toBe(2)
  })
})
