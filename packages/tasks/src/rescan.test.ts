import { type RawText, rawOf } from '@cadre/disk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readChangedTasks, readTasksUncached, readWrittenTasks } from './written-tasks.ts'

/** Lines that start or end something, or look like it. */
const line = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      '- [ ] A @who "one"',
      '- [x] two',
      '* [~] "three" id: t3',
      '- [?] no marker',
      '  - [ ] below',
      '    - [-] deeper',
      '\t- [ ] with a tab',
      '- [ ] ',
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '  id: a',
      '  id: b',
      '    id: c',
      '  status: failed',
      '  note: |',
      '    text of a note',
      '    - [ ] in a note',
      '  folded: >2',
      '  depends_on: a, b',
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '',
      '  ',
      '## Part',
      '# Other',
      '### Part',
      'words',
      '- [x]almost',
      '1. [ ] almost',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('```', '  ```', '~~~ code', '~~~', '<!-- a', '<!-- all -->', 'b -->', '  -->'),
  },
)
const end = fc.constantFrom('\n', '\n', '\n', '\r\n')
const text = (maxLength: number) =>
  fc
    .array(fc.tuple(line, end), { maxLength })
    .map((lines) => rawOf(lines.map(([words, eol]) => words + eol).join('')))
const mark = fc.constantFrom('', '', '', '\u00ef\u00bb\u00bf')

/** Two texts with a common prefix and suffix, not necessarily at line boundaries. */
const pair = fc
  .record({
    mark,
    before: text(14),
    one: text(4),
    other: text(4),
    behind: text(14),
    cut: fc.nat(12),
    rest: fc.constantFrom('', '', '- [ ] the last, without an end'),
  })
  .map(({ mark: first, before, one, other, behind, cut, rest }) => ({
    old: first + before + one + behind + rest,
    now: first + before + other.slice(cut % 3) + behind.slice(cut % 4) + rest,
  }))

const again = (old: RawText, now: RawText) =>
  readChangedTasks([{ raw: old, read: readTasksUncached(old) }], now, 0)

test('a partial scan equals a full scan', () => {
  let inPart = 0
  const numRuns = process.env['CADRE_DEEP'] ? 3000 : 600
  fc.assert(
    fc.property(pair, ({ old, now }) => {
      const read = again(old, now)
      if (read === undefined) return
      inPart++
      expect(read).toEqual(readTasksUncached(now))
    }),
    { numRuns },
  )
  expect(inPart).toBeGreaterThan(numRuns / 6)
})

test('scans a series of texts, each based on the previous one', () => {
  fc.assert(
    fc.property(
      text(30),
      fc.array(fc.tuple(fc.nat(), fc.nat(3), text(2)), { maxLength: 6 }),
      (first, edits) => {
        let raw = first
        let read = readTasksUncached(raw)
        for (const [place, remove, insert] of edits) {
          const at = place % (raw.length + 1)
          const now = raw.slice(0, at) + insert + raw.slice(at + remove)
          const next = readChangedTasks([{ raw, read }], now, 0)
          if (next !== undefined) expect(next).toEqual(readTasksUncached(now))
          read = next ?? readTasksUncached(now)
          raw = now
        }
      },
    ),
    { numRuns: process.env['CADRE_DEEP'] ? 1000 : 300 },
  )
})

const tasks = (count: number) =>
  Array.from({ length: count }, (_, i) => `- [ ] "Task ${i}"\n  id: t${i}\n  note: |\n    about ${i}\n`).join(
    '',
  )

test('code that is opened above hides everything up to its end, and nothing without one', () => {
  const all = `# All\n\n${tasks(1000)}`
  expect(readWrittenTasks(all).items).toHaveLength(1000)
  const opened = `# All\n\n- [ ] first\n\`\`\`\n${tasks(1000)}`
  expect(readWrittenTasks(opened).items).toHaveLength(1001)
  const closed = `${opened}\n\`\`\`\n`
  expect(readWrittenTasks(closed).items.length).toBe(readTasksUncached(closed).items.length)
})

test.each([
  ['a comment that was left open', '<!-- a note', '- [ ] "b -->"'],
  ['code that was left open', '```', '- [ ] "b"\n```\ncode\n```'],
])('a change below %s can end it, and is read in full', (_, open, change) => {
  const old = `${open}\n- [ ] "a"\n- [ ] "b"\n- [ ] "c"\n`
  const now = old.replace('- [ ] "b"', change)
  expect(readTasksUncached(old).items).toHaveLength(3)
  expect((again(old, now) ?? readTasksUncached(now)).items.map(({ title }) => title)).toEqual(['c'])
})

test('scans only the changed part', () => {
  const old = tasks(1000)
  const read = readWrittenTasks(old)
  const now = readWrittenTasks(old.replace('- [ ] "Task 500"', '- [x] "Task 500"'))
  expect(now).toEqual(readTasksUncached(old.replace('- [ ] "Task 500"', '- [x] "Task 500"')))
  const isKept = (at: number) => now.items[at] === read.items[at]
  expect([0, 498, 502, 999].map(isKept)).toEqual([true, true, true, true])
  expect(isKept(500)).toBe(false)
})
