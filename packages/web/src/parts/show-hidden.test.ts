import fc from 'fast-check'
import { expect, test } from 'vitest'
import { showHidden } from './show-hidden.ts'

const shown = (text: string) =>
  showHidden(text)
    .map((part) => part.text)
    .join('')

test.each([
  ['rm -rf \u202e/', 'rm -rf \\u202e/'],
  ['a\u200bb', 'a\\u200bb'],
  ['a\rb', 'a\\x0db'],
  ['\u001b[2K', '\\x1b[2K'],
  ['a\u00a0b', 'a\\xa0b'],
  ['a\u2028b', 'a\\u2028b'],
  ['\u{e0041}', '\\u{e0041}'],
  ['\ud800', '\\ud800'],
  ['a\u3164', 'a\\u3164'],
  ['\ufeffx', '\\ufeffx'],
  ['a\ufff9b', 'a\\ufff9b'],
])('shows the hidden characters in %j', (text, expected) => {
  expect(shown(text)).toBe(expected)
})

test.each(['git push\n\torigin main', 'Grüße, 你好, שלום, 👍', ''])('leaves %j as it is', (text) => {
  expect(shown(text)).toBe(text)
})

test('shows every character that fonts leave out', () => {
  expect(shown('a\u034fb\u17b4c\u3164d\ufe0fe')).toBe('a\\u034fb\\u17b4c\\u3164d\\ufe0fe')
})

test('loses no visible text, and marks every escape', () => {
  const text = fc.string({ unit: 'binary', maxLength: 20 })
  fc.assert(
    fc.property(text, (written) => {
      const parts = showHidden(written)
      const plain = parts.filter(({ isEscape }) => !isEscape).map((part) => part.text)
      if (/[\u202a-\u202e\u2066-\u2069\u200b-\u200f]/.test(plain.join(''))) return false
      let at = 0
      return plain.every((piece) => {
        const found = written.indexOf(piece, at)
        at = found + piece.length
        return found >= 0
      })
    }),
  )
})
