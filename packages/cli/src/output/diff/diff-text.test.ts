import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createStyle } from '../style.ts'
import { diffText } from './diff-text.ts'
import { lineDiff } from './line-diff.ts'

const style = createStyle(false)
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
const numbered = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)

it('shows changed lines with their numbers and context', () => {
  const after = numbered.with(9, 'ten').toSpliced(20, 0, 'new')
  expect(
    diffText({ path: 'a.txt', before: text(numbered), after: text(after) }, { columns: 80, style }),
  ).toEqual([
    'Edit a.txt +2 -1',
    ' 7   line 7',
    ' 8   line 8',
    ' 9   line 9',
    '10 - line 10',
    '10 + ten',
    '11   line 11',
    '12   line 12',
    '13   line 13',
    '   ⋮',
    '18   line 18',
    '19   line 19',
    '20   line 20',
    '21 + new',
    '22   line 21',
    '23   line 22',
    '24   line 23',
  ])
})

it('names a created or deleted file, and counts omitted lines', () => {
  const made = diffText({ path: 'a\x1b[2J.txt', after: text(numbered) }, { columns: 80, style, max: 4 })
  expect(made).toEqual([
    'Create a.txt +30 -0',
    ' 1 + line 1',
    ' 2 + line 2',
    ' 3 + line 3',
    '… 27 more lines',
  ])
  expect(diffText({ path: 'b', before: 'x\n' }, { columns: 80, style })).toEqual(['Delete b +0 -1', '1 - x'])
})

it('cuts long lines, cleans hostile ones and shows a change of line endings', () => {
  const lines = diffText(
    { path: 'a', before: 'x\n\x1b]0;owned\x07y\n', after: `x\r\n${'z'.repeat(99)}\n` },
    { columns: 20, style },
  )
  expect(lines).toEqual(['Edit a +2 -2', '1 - x', '2 - y', '1 + x␍', `2 + ${'z'.repeat(15)}…`])
})

it('transforms one text into the other, for any texts', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 40 })
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = lineDiff(before, after)
      expect(diff.flatMap((line) => (line.kind === 'added' ? [] : [line.text]))).toEqual(before)
      expect(diff.flatMap((line) => (line.kind === 'removed' ? [] : [line.text]))).toEqual(after)
      for (const line of diff) {
        if (line.kind !== 'added') expect(before[line.before - 1]).toBe(line.text)
        if (line.kind !== 'removed') expect(after[line.after - 1]).toBe(line.text)
      }
    }),
    { numRuns: process.env['CADRE_DEEP'] ? 5_000 : 60 },
  )
})

it('compares large texts with little in common', () => {
  const before = Array.from({ length: 5_000 }, (_, index) => `a${index}`)
  const after = Array.from({ length: 5_000 }, (_, index) => `b${index}`)
  expect(lineDiff(before, after)).toHaveLength(10_000)
})
