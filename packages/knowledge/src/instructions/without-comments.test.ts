import { expect, test } from 'vitest'
import { findImports } from './find-imports.ts'
import { withoutComments } from './without-comments.ts'

test.each([
  ['a\n<!-- b -->\nc', 'a\nc'],
  ['a\n  <!--\nb\n-->\t\nc', 'a\nc'],
  ['<!-- a --> b\nc -->\nd', 'd'],
  ['a <!-- b -->', 'a <!-- b -->'],
  ['<!-->\na', '<!-->\na'],
  ['<!-- a', '<!-- a'],
  ['```\n<!-- a -->\n```\n<!-- b -->\nc', '```\n<!-- a -->\n```\nc'],
  ['```\n<!-- a -->\nb', '```\nb'],
])('removes comments that are paragraphs: %j', (text, left) => {
  expect(withoutComments(text)).toBe(left)
})

test('finds no import in code, with any number of backticks', () => {
  const targets = (text: string) => findImports(text).map(({ target }) => target)
  expect(targets('` @a ` @b `` @c ` `` @d ` @e')).toEqual(['b', 'd', 'e'])
  expect(targets('so `` @a ` @b')).toEqual(['a', 'b'])
})

test('handles a file that is made to keep it busy', () => {
  const size = 200_000
  for (const piece of ['<!--\n', '```x\n', '<!-- a --> b\n', '<!--'])
    expect(withoutComments(piece.repeat(size / piece.length)).length).toBeGreaterThan(0)
  for (const piece of ['.', '`', '`a', '@', ' @', '\\ '])
    expect(findImports(`@${piece.repeat(size / piece.length)}a`).length).toBeGreaterThanOrEqual(0)
})
