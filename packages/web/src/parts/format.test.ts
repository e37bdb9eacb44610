import { expect, test } from 'vitest'
import { costText, durationText, plural, shortNumber, timeText } from './format.ts'

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1.0k'],
  [9949, '9.9k'],
  [9950, '10k'],
  [999_499, '999k'],
  [999_500, '1.0M'],
  [12_345_678, '12M'],
])('shortens %s to %s', (value, text) => {
  expect(shortNumber(value)).toBe(text)
})

test.each([
  [undefined, '–'],
  [0, '$0'],
  [0.004, '<$0.01'],
  [1.239, '$1.24'],
  [1234.5, '$1235'],
])('writes the cost %s as %s', (cost, text) => {
  expect(costText(cost)).toBe(text)
})

test.each([
  [12, '12 ms'],
  [4200, '4.2 s'],
  [59_000, '59 s'],
  [61_000, '1 min 1 s'],
  [3_600_000 * 2 + 60_000 * 5, '2 h 5 min'],
  [3_600_000 * 72, '3 days'],
  [-1, '–'],
  [Number.NaN, '–'],
])('writes %s ms as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test('shows a time that cannot be read as it is', () => {
  expect(timeText('yesterday')).toBe('yesterday')
})

test('counts', () => {
  expect([plural(0, 'call'), plural(1, 'call'), plural(2, 'call')]).toEqual(['0 calls', '1 call', '2 calls'])
})
