import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Ceiling, LedgerOrder, LedgerSlots } from '../ports/ledger.ts'
import { applyToDay, applyToSlots, emptyDay, emptySlots, slotLease } from './apply-to-ledger.ts'

const price = { input: 3, output: 15 }
const day: Ceiling = { key: 'day', setting: 'budgets.day', tokens: 10_000, nanos: 50_000_000 }
const lead: Ceiling = { key: 'agent:lead', setting: 'budgets.agents.lead', tokens: 4_000 }

const reserve = (id: string, more: Partial<Extract<LedgerOrder, { kind: 'reserve' }>> = {}) =>
  ({
    ...{ kind: 'reserve', id, root: 'r', session: 's', at: 0, ceilings: [day], input: 100, output: 900 },
    ...{ minOutput: 64, ...more },
  }) as const satisfies LedgerOrder

describe('a day', () => {
  it('never exceeds a ceiling, whatever is reserved, settled and repeated', () => {
    const order = fc.record({
      id: fc.integer({ min: 0, max: 30 }).map(String),
      isLead: fc.boolean(),
      isPriced: fc.boolean(),
      at: fc.integer({ min: 0, max: 3_600_000 }),
      input: fc.integer({ min: 1, max: 5_000 }),
      output: fc.integer({ min: 0, max: 3_000 }),
      settles: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    })
    fc.assert(
      fc.property(fc.array(order, { maxLength: 80 }), (orders) => {
        let state = emptyDay
        for (const { id, isLead, isPriced, settles, ...rest } of orders) {
          const known = state.open.find((open) => open.id === id)
          const next: LedgerOrder =
            settles !== undefined && known !== undefined
              ? {
                  kind: 'settle',
                  id,
                  tokens: Math.floor(known.tokens * settles),
                  nanos: Math.floor(known.nanos * settles),
                }
              : reserve(id, {
                  ...rest,
                  minOutput: Math.min(64, rest.output),
                  ceilings: isLead ? [day, lead] : [day],
                  ...(isPriced && { price }),
                })
          const applied = applyToDay(state, next)
          // A repeated order has no effect.
          if (applied.answer.kind === 'reserved' || applied.answer.kind === 'done')
            expect(applyToDay(applied.state, next)).toEqual(applied)
          state = applied.state
          for (const { key, tokens = Infinity, nanos = Infinity } of [day, lead]) {
            const open = state.open.filter(({ keys }) => keys.includes(key))
            const spent = state.spent[key] ?? { tokens: 0, nanos: 0 }
            expect(open.reduce((sum, one) => sum + one.tokens, spent.tokens)).toBeLessThanOrEqual(tokens)
            expect(open.reduce((sum, one) => sum + one.nanos, spent.nanos)).toBeLessThanOrEqual(nanos)
          }
        }
      }),
    )
  })

  it('lets a request wait for requests in flight, and refuses it when nothing could free its share', () => {
    const first = applyToDay(emptyDay, reserve('a', { input: 5_000, output: 4_900 }))
    expect(first.answer).toEqual({ kind: 'reserved', output: 4_900 })
    expect(applyToDay(first.state, reserve('b')).answer).toMatchObject({ kind: 'waits' })
    const settled = applyToDay(first.state, { kind: 'settle', id: 'a', tokens: 9_900, nanos: 0 })
    const refused = applyToDay(settled.state, reserve('b')).answer
    expect(refused).toMatchObject({ kind: 'refused' })
    expect(JSON.stringify(refused)).toContain('budgets.day (10000 tokens a day)')
    // A shorter reply than wanted, if nothing is in flight.
    const half = applyToDay(first.state, { kind: 'settle', id: 'a', tokens: 9_500, nanos: 0 })
    expect(applyToDay(half.state, reserve('b')).answer).toEqual({ kind: 'reserved', output: 400 })
  })

  it('waits for no request that is in flight for longer than any request takes', () => {
    const { state } = applyToDay(emptyDay, reserve('a', { input: 9_000, output: 900 }))
    const later = { at: 16 * 60_000 }
    expect(applyToDay(state, reserve('b', later)).answer).toMatchObject({ kind: 'refused' })
  })
})

describe('slots', () => {
  const enter = (root: string, place = 'p', owner = root): LedgerOrder => ({
    ...{ kind: 'enter', root, owner },
    limits: { place, perPlace: 2, perHome: 3 },
  })
  const play = (orders: readonly (readonly [LedgerOrder, number])[]) => {
    let state: LedgerSlots = emptySlots
    const answers: string[] = []
    for (const [order, now] of orders) {
      const applied = applyToSlots(state, order, now)
      state = applied.state
      answers.push(applied.answer.kind)
    }
    return { state, answers }
  }

  it('limits trees per place and for the home, in the order in which they asked', () => {
    const { answers, state } = play([
      [enter('a'), 0],
      [enter('b'), 0],
      [enter('c'), 0],
      [enter('d', 'q'), 0],
      [enter('e', 'q'), 0],
      [{ kind: 'leave', owner: 'd' }, 1],
      [enter('e', 'q'), 1],
      [{ kind: 'leave', owner: 'a' }, 2],
      [enter('f'), 2],
      [enter('c'), 2],
    ])
    expect(answers).toEqual('done done waits done waits done done done waits done'.split(' '))
    expect(state.held.map(({ root }) => root)).toEqual(['b', 'e', 'c'])
  })

  it('frees the slot of a process that does not renew it, and keeps one that a later life took over', () => {
    const { answers, state } = play([
      [enter('a', 'p', 'first'), 0],
      [enter('b'), 0],
      [enter('a', 'p', 'second'), 10],
      // The lost life has noticed.
      [{ kind: 'leave', owner: 'first' }, 20],
      ...[0, 10, 20, 30, 40, 50].map((second) => [enter('c'), 1_000 * second + 30] as const),
      [{ kind: 'renew', owners: ['b'] }, slotLease - 1],
      [enter('c'), slotLease + 20],
    ])
    expect(answers.slice(-3)).toEqual(['waits', 'done', 'done'])
    expect(state.held.map(({ root }) => root)).toEqual(['b', 'c'])
  })

  const one = (root: string) => ({ root, owner: root, limits: { place: 'p', perHome: 1 } })
  const renew = (...roots: string[]): LedgerOrder => ({
    ...{ kind: 'renew', owners: roots, trees: roots.map(one) },
  })

  it('never lets a tree enter because nobody could reach the ledger', () => {
    const second = fc.integer({ min: 0, max: 300 })
    const times = fc.record({ up: second, down: second })
    fc.assert(
      fc.property(fc.array(times, { maxLength: 8 }), fc.integer({ min: 0, max: 19 }), (outages, phase) => {
        let { state } = applyToSlots(emptySlots, { kind: 'enter', ...one('a') }, 0)
        let now = phase
        for (const { up, down } of outages) {
          // Long enough for every process to renew its slot.
          for (const end = now + 21 + up; now < end; now++) {
            if (now % 20 === phase) ({ state } = applyToSlots(state, renew('a'), 1_000 * now))
            if (now % 2 > 0) continue
            const entered = applyToSlots(state, { kind: 'enter', ...one('b') }, 1_000 * now)
            expect(entered.answer.kind).toBe('waits')
            state = entered.state
          }
          now += down
        }
      }),
    )
  })

  it('frees the slots of a process that died during an outage', () => {
    const asks = Array.from({ length: 26 }, (_, n) => [{ kind: 'enter', ...one('b') }, 600_000 + 2_000 * n])
    const { answers } = play([[{ kind: 'enter', ...one('a') }, 0], ...(asks as [LedgerOrder, number][])])
    expect(answers.slice(-2)).toEqual(['waits', 'done'])
  })

  it('counts a tree again whose process could not renew its slot in time', () => {
    const asks = Array.from({ length: 31 }, (_, n) => [{ kind: 'enter', ...one('b') }, 2_000 * n])
    const { state, answers } = play([
      [{ kind: 'enter', ...one('a') }, 0],
      ...(asks as [LedgerOrder, number][]),
      [renew('a'), 61_000],
      [renew('a'), 61_001],
      [{ kind: 'leave', owner: 'b' }, 61_002],
      [{ kind: 'enter', ...one('c') }, 61_003],
    ])
    expect(answers.slice(-5)).toEqual(['done', 'done', 'done', 'done', 'waits'])
    expect(state.held.map(({ root }) => root)).toEqual(['a'])
  })

  it('counts a tree once whose earlier life renews its slot too', () => {
    const { state } = play([
      [{ kind: 'enter', ...one('a'), owner: 'second' }, 0],
      [renew('a'), 1],
    ])
    expect(state.held).toEqual([{ ...one('a'), owner: 'second', until: slotLease }])
  })

  it('understands the orders and the state of an older version', () => {
    const old = { held: [{ ...one('a'), until: slotLease }], waiting: [] }
    const asked = applyToSlots(old, { kind: 'enter', ...one('b') }, 75_000)
    expect(asked.answer.kind).toBe('waits')
    const renewed = applyToSlots(asked.state, { kind: 'renew', owners: ['a'] }, 80_000).state
    expect(renewed.held).toEqual([{ ...one('a'), until: 80_000 + slotLease }])
  })
})
