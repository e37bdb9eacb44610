import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeIntervals, timeScale } from './time-scale.ts'

const minute = 60_000
const interval = fc
  .tuple(fc.nat(10_000_000), fc.nat(300_000))
  .map(([from, length]) => ({ from, to: from + length }))
const intervals = fc.array(interval, { minLength: 1, maxLength: 20 })

test('shortens a long idle period', () => {
  const scale = timeScale([
    { from: 0, to: minute },
    { from: 61 * minute, to: 62 * minute },
  ])
  expect(scale.folds).toHaveLength(1)
  expect(scale.folds[0]).toMatchObject({ from: minute, to: 61 * minute })
  expect(scale.place(minute)).toBeCloseTo(0.485)
  expect(scale.place(61 * minute)).toBeCloseTo(0.515)
})

test('leaves short pauses as they are', () => {
  const scale = timeScale([
    { from: 0, to: minute },
    { from: 1.5 * minute, to: 3 * minute },
  ])
  expect(scale.folds).toEqual([])
  expect(scale.place(1.5 * minute)).toBeCloseTo(0.5)
})

test('keeps the order of times, from 0 to 1, for any intervals', () => {
  fc.assert(
    fc.property(intervals, fc.array(fc.nat(12_000_000)), (busy, times) => {
      const scale = timeScale(busy)
      expect(scale.place(scale.from)).toBeCloseTo(0)
      if (scale.to > scale.from) expect(scale.place(scale.to)).toBeCloseTo(1)
      const places = [...times].sort((a, b) => a - b).map(scale.place)
      for (const [at, place] of places.entries()) {
        expect(place).toBeGreaterThanOrEqual((places[at - 1] ?? 0) - 1e-9)
        expect(place).toBeLessThanOrEqual(1)
      }
    }),
  )
})

test('never shortens busy periods', () => {
  fc.assert(
    fc.property(intervals, (busy) => {
      for (const fold of timeScale(busy).folds)
        for (const { from, to } of busy) expect(to <= fold.from || from >= fold.to).toBe(true)
    }),
  )
})

test('merges intervals that overlap or touch', () => {
  expect(
    mergeIntervals([
      { from: 5, to: 9 },
      { from: 0, to: 3 },
      { from: 3, to: 4 },
      { from: 6, to: 7 },
    ]),
  ).toEqual([
    { from: 0, to: 4 },
    { from: 5, to: 9 },
  ])
})

test('has a scale even without intervals', () => {
  expect(timeScale([]).place(5)).toBe(0)
})
