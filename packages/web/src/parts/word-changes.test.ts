import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patchLines } from './patch-lines.ts'
import { wordChanges } from './word-changes.ts'

const patch = (...lines: readonly string[]) => {
  const [removed, added] = ['-', '+'].map((mark) => lines.filter((line) => line.startsWith(mark)).length)
  return patchLines([`@@ -1,${removed} +1,${added} @@`, ...lines].join('\n'))
}

test('marks the words that differ in a replaced line', () => {
  const words = wordChanges(patch('-const limit = 6', '+const limit = 60'))
  expect(words.get(1)?.filter(({ isChanged }) => isChanged)).toEqual([{ text: '6', isChanged: true }])
  expect(words.get(2)?.filter(({ isChanged }) => isChanged)).toEqual([{ text: '60', isChanged: true }])
})

test('does not mark lines if it is unclear which replaces which, or if they have nothing in common', () => {
  expect(wordChanges(patch('-a b', '+a c', '+a d')).size).toBe(0)
  expect(wordChanges(patch('-abc', '+xyz')).size).toBe(0)
  expect(wordChanges(patch(`-${'a '.repeat(400)}`, `+${'b '.repeat(400)}`)).size).toBe(0)
})

test('loses no character of any line', () => {
  const line = fc.string({ maxLength: 30 }).filter((text) => !text.includes('\n'))
  fc.assert(
    fc.property(fc.array(fc.tuple(line, line), { maxLength: 5 }), (pairs) => {
      const lines = patch(...pairs.map(([old]) => `-${old}`), ...pairs.map(([, now]) => `+${now}`))
      for (const [at, parts] of wordChanges(lines))
        expect(parts.map(({ text }) => text).join('')).toBe(lines[at]?.text)
    }),
  )
})
