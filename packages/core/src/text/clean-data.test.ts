import { expect, test } from 'vitest'
import { cleanData, plainText, shortLine } from './clean-data.ts'

test('keeps line feeds, tabs and joiners', () => {
  expect(cleanData('one\r\n\ttwo \x1b]0;title\x07👩‍💻\u202e')).toBe('one\n\ttwo 👩‍💻')
})

test('text from servers has no character without a shape', () => {
  const hidden = 'a\u200db\u{e0041}\ufe0fc\u115f \x1b[31mred'
  expect(plainText(hidden, 100)).toBe('abc red')
  expect(plainText('one\r\ntwo\tthree', 7)).toBe('one\ntwo…')
})

test('a short line has one line and at most so many characters', () => {
  expect(shortLine(' one\n two\t', 20)).toBe('one two')
  expect(shortLine('one two three', 9)).toBe('one two…')
})
