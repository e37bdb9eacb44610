import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanLine, cleanText } from './clean-text.ts'

test.each([
  ['colour \x1b[31mred\x1b[0m', 'colour red'],
  ['title \x1b]0;owned\x07shown', 'title shown'],
  ['title \x1b]0;owned\x1b\\shown', 'title shown'],
  ['clipboard \x1b]52;c;aGk=\x07x', 'clipboard x'],
  ['an unfinished \x1b]0;title is still seen', 'an unfinished 0;title is still seen'],
  ['one byte: \x9b31mred \x9d0;t\x9cx', 'one byte: red x'],
  ['nested \x1b\x1b[2J[2J', 'nested [2J'],
  ['back\x08\x08 bell\x07 null\x00', 'back bell null'],
  ['carriage\rreturn', 'carriagereturn'],
  ['windows\r\nline', 'windows\nline'],
  ['tab\there', 'tab    here'],
  ['order \u202egnp.exe\u2066', 'order gnp.exe'],
  ['hidden \u{e0041}\u200b\ufeff', 'hidden '],
  ['漢字 é 👩‍💻 नि', '漢字 é 👩‍💻 नि'],
])('%j is printed as %j', (text, clean) => {
  expect(cleanText(text)).toBe(clean)
})

test('the output never contains anything that a terminal interprets', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\x1b', '\x1b[', '\x9b', '\x1b]', '\x07', '\r', '\x1b\\', '31m', 'P'),
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = cleanText(pieces.join(''))
      // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those must not be there.
      expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]/)
      expect(cleanLine(pieces.join(''))).not.toContain('\n')
    }),
  )
})
