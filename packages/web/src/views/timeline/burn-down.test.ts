import type { SessionView } from '@cadre/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { burnDown, firstToRefuse, type Spending, spendingsOf, untilCounted } from './burn-down.ts'

const spend = (at: number, tokens: number, cost = 0, calls = 0): Spending => ({ at, tokens, cost, calls })

test('shows the remaining budget, and predicts when it runs out', () => {
  const [tokens] = burnDown({
    budget: { tokens: 1000 },
    spendings: [spend(10, 100), spend(20, 100), spend(30, 100), spend(40, 100)],
    from: 0,
    now: 40,
    isRunning: true,
  })
  expect(tokens?.line.map(({ left }) => left)).toEqual([1000, 900, 800, 700, 600])
  expect(tokens).toMatchObject({ used: 400, most: 1000, refusesAt: 100 })
})

test('reports when a budget ran out, and never shows less than zero', () => {
  const [cost] = burnDown({
    budget: { cost: 1 },
    spendings: [spend(10, 0, 0.6), spend(20, 0, 0.6), spend(30, 0, 0.6)],
    from: 0,
    now: 90,
    isRunning: false,
  })
  expect(cost?.refusesAt).toBe(20)
  expect(cost?.line.at(-1)?.left).toBe(0)
})

test('does not predict for a run that has ended or has not spent anything', () => {
  const options = { budget: { tokens: 10, calls: 5 }, from: 0, now: 50 }
  expect(firstToRefuse(burnDown({ ...options, spendings: [spend(1, 5)], isRunning: false }))).toBeUndefined()
  expect(firstToRefuse(burnDown({ ...options, spendings: [], isRunning: true }))).toBeUndefined()
})

test('names the part of the budget that runs out first', () => {
  const parts = burnDown({
    budget: { tokens: 1_000_000, calls: 4, cost: 100 },
    spendings: [spend(10, 10, 1, 1), spend(20, 10, 1, 1)],
    from: 0,
    now: 20,
    isRunning: true,
  })
  expect(firstToRefuse(parts)?.part).toBe('calls')
})

test('a prediction is never in the past', () => {
  const spendings = fc.array(fc.tuple(fc.nat(1000), fc.nat(50)), { maxLength: 30 })
  fc.assert(
    fc.property(spendings, fc.integer({ min: 1, max: 2000 }), (list, most) => {
      const sorted = list.map(([at, tokens]) => spend(at, tokens)).sort((a, b) => a.at - b.at)
      const now = 1000
      const [part] = burnDown({ budget: { tokens: most }, spendings: sorted, from: 0, now, isRunning: true })
      const used = sorted.reduce((sum, { tokens }) => sum + tokens, 0)
      expect(part?.used).toBe(used)
      if (part?.refusesAt !== undefined && used < most) expect(part.refusesAt).toBeGreaterThanOrEqual(now)
    }),
  )
})

test("reads sessions' spending from their rounds", () => {
  const session = {
    rounds: [
      {
        repliedAt: '2026-01-01T00:00:02.000Z',
        usage: { input: 5, output: 1, cost: 0.5 },
        toolCalls: [{ startedAt: '2026-01-01T00:00:03.000Z' }, {}],
      },
      { toolCalls: [] },
    ],
  } as unknown as SessionView
  const second = Date.parse('2026-01-01T00:00:00.000Z')
  expect(spendingsOf([session])).toEqual([spend(second + 2000, 6, 0.5), spend(second + 3000, 0, 0, 1)])
})

test('follows the budget, not the usage, and ends where the budget is', () => {
  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
  const session = {
    rounds: [
      { repliedAt: at(1), spent: { tokens: 30_000, cost: 0, calls: 0 }, toolCalls: [] },
      {
        repliedAt: at(2),
        usage: { input: 900, output: 100 },
        spent: { tokens: 31_000, cost: 0, calls: 0 },
        toolCalls: [],
      },
    ],
  } as unknown as SessionView
  const start = Date.parse(at(0))
  const replies = [spend(start + 1000, 30_000), spend(start + 2000, 1000)]
  expect(spendingsOf([session])).toEqual(replies)
  const failed = untilCounted(replies, { tokens: 60_000, cost: 0, calls: 0 }, start + 3000)
  expect(failed).toEqual([...replies, spend(start + 3000, 29_000)])
  expect(untilCounted(replies, { tokens: 31_000, cost: 0, calls: 0 }, start + 3000)).toEqual(replies)
})
