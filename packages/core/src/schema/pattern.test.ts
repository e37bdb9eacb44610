import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPattern } from './pattern.ts'

function fits(source: string, text: string): boolean | undefined {
  const pattern = readPattern(source)
  if ('fault' in pattern) throw new Error(pattern.fault)
  return pattern.test(text)
}

const semver =
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?$'

test.each([
  ['^(a+)+$', `${'a'.repeat(50_000)}!`],
  ['^(a|a)*$', `${'a'.repeat(50_000)}!`],
  ['(a?a?)*b$', 'a'.repeat(50_000)],
  ['^(\\w+\\s?)*$', `${'word '.repeat(10_000)}!`],
  [`^${'a?'.repeat(40)}${'a'.repeat(40)}$`, 'a'.repeat(39)],
  ['(x+x+)+y', 'x'.repeat(50_000)],
  [semver, `1.2.3-${'0.'.repeat(10_000)}`],
])('ends soon: %s', (source, text) => {
  expect(fits(source, text)).toBe(false)
})

test.each(['(a)\\1', '(?=a)b', '(?<!a)b', '(?<n>a)\\k<n>', 'a{99999}', '('])('refuses %s', (source) => {
  expect(readPattern(source)).toHaveProperty('fault')
})

test('does not test a text that is too long for its pattern', () => {
  expect(fits('^(?:a{0,500}b){0,9}$', 'a'.repeat(1_000_000))).toBeUndefined()
})

test('finds matches inside words', () => {
  expect([fits('a\\Bb', 'ab'), fits('a\\B', 'a b'), fits('\\ba\\b', 'x a y')]).toEqual([true, false, true])
})

// Not \B: RegExp matches it in the middle of a character with two units.
const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\d',
  '\\w',
  '\\.',
  '\\u{61}',
  '\\p{L}',
  'é',
  '💡',
  '^',
  '$',
  '\\b',
)
const { source: anySource } = fc.letrec<{ source: string }>((tie) => ({
  source: fc.oneof(
    { maxDepth: 3 },
    atom,
    fc.array(tie('source'), { maxLength: 3 }).map((parts) => parts.join('')),
    fc.array(tie('source'), { minLength: 1, maxLength: 3 }).map((parts) => `(?:${parts.join('|')})`),
    fc
      .tuple(tie('source'), fc.constantFrom('*', '+', '?', '{2}', '{0,3}', '{1,}', '*?', '+?'))
      .map(([part, sign]) => `(${part})${sign}`),
    tie('source').map((part) => `(?<${'n'}>${part})`),
  ),
}))

test('agrees with RegExp', () => {
  fc.assert(
    fc.property(
      anySource,
      fc.array(fc.constantFrom('a', 'b', '1', ' ', '.', 'é', '💡', '\n')),
      (source, letters) => {
        const text = letters.slice(0, 8).join('')
        let expected: boolean
        try {
          expected = new RegExp(source, 'u').test(text)
        } catch {
          return
        }
        expect([source, text, fits(source, text)]).toEqual([source, text, expected])
      },
    ),
    { numRuns: process.env['CADRE_DEEP'] === '1' ? 100_000 : 2_000 },
  )
})
