import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitText, textWidth, truncateText } from './text-width.ts'
import { truncateStyled } from './truncate-styled.ts'

test.each([
  ['plain', 5],
  ['漢字', 4],
  ['한국어', 6],
  ['é', 1],
  ['e\u0301', 1],
  ['👩‍💻', 2],
  ['❤️', 2],
  ['✓ → ├─', 6],
  ['', 0],
])('%s is %i columns wide', (text, width) => {
  expect(textWidth(text)).toBe(width)
})

test('a cut text fits, and a text that fits is not cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, columns) => {
      const cut = truncateText(text, columns)
      expect(textWidth(cut)).toBeLessThanOrEqual(columns)
      if (textWidth(text) <= columns) expect(cut).toBe(text)
      expect(textWidth(fitText(text, columns))).toBe(columns)
    }),
  )
})

test('a cut in coloured text leaves no colour open', () => {
  expect(truncateStyled('\x1b[31mred and long\x1b[39m rest', 6)).toBe('\x1b[31mred a…\x1b[0m')
  expect(truncateStyled('\x1b[31mred\x1b[39m', 6)).toBe('\x1b[31mred\x1b[39m')
})
