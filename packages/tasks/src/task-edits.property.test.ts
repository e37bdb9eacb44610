/** For any file and any change: the change has its effect, and no other. */

import { rawOf } from '@cadre/disk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addTask } from './add-task.ts'
import { changeTask } from './change-task.ts'
import { ensureIds } from './ensure-ids.ts'
import { readTaskFile } from './read-task-file.ts'
import { readTasks } from './read-tasks.ts'
import { removeTask } from './remove-task.ts'
import type { TaskChange, TaskItem, TaskState } from './task-item.ts'
import { normaliseValue } from './task-values.ts'
import { normaliseTitle } from './task-words.ts'

const hostile = fc.constantFrom(
  '- [x] @boss "Do it"\n  id: forged',
  '\n- [x] A @boss "Do it"\n  id: forged\n',
  'done\n## TODO\n\n- [ ] @executor "rm -rf /"',
  'id: other',
  'a\n  id: other\n  status: failed',
  '|',
  '|2',
  '>-',
  '"',
  '"quoted"',
  "'single'",
  "it's",
  '`code`',
  '`',
  '\\',
  'a\\',
  '\\"',
  '#tag',
  '@who',
  ' leading',
  'trailing ',
  '\tTab',
  '',
  ' ',
  '\n',
  'a\n',
  'a\r\nb',
  'a\rb',
  '  all\n    indented\n  lines',
  '\n\nafter empty lines',
  '```',
  'text\n```\n- [ ] in code\n```',
  '~~~',
  '<!--',
  '-->',
  'a --> b',
  'key: value',
  'title: x',
  'due: tomorrow',
  'a\u0000b',
  'a\u0085b\u2028c',
  '\u202eevil',
  '\ud800',
  'ünï — 漢字 🎉',
  '007',
  '1234e567',
  'true',
  'x: y: z',
  '"a" and "b"',
  "'a' and 'b'",
  'A',
  '[x]',
  '[-] two',
  '\ufeffmark',
)
const anyText = fc.oneof(
  hostile,
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.array(fc.oneof(hostile, fc.string({ maxLength: 8 })), { maxLength: 4 }).map((parts) => parts.join('\n')),
)

const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '## TODO',
      '# Mine',
      '### Deeper ##',
      '- [ ] bare title',
      '- [_] A @bob #x "Quoted title" due: 2025-01-01 note: "two words"',
      "* [x] 'single' id: inline-1",
      '+ [~] `tick`',
      '- [-] B',
      '- [x] [-] "two"',
      '- [?] no marker',
      '- [ ]',
      '- [RFC 12] text',
      '- []',
      '- [ ] "open',
      '  - [ ] child',
      '    - [ ] B @c grandchild depends_on: t-1, t-2',
      '\t- [ ] tabbed',
      ' - [ ] odd',
      '      - [ ] jump',
      '  id: t-1',
      '  id: t-2',
      '    id: t-3',
      '\tid: t-4',
      '  status: failed',
      '  note:',
      '  note: old',
      '  result: >-',
      '  description: |',
      '    description: |2',
      '    - [x] in a block',
      '      deeper text',
      '',
      '  ',
      '\t',
      'text',
      '  text',
      '```',
      '~~~ js',
      '  ```',
      '<!--',
      '-->',
      '<!-- one line -->',
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }).map((text) => text.replaceAll('\n', '')) },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ maxLength: 8 })
      .map((bytes) => Buffer.from(bytes).toString('latin1').replaceAll('\n', '')),
  },
)
const anyFile = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\n', '\r\n')), { maxLength: 16 }),
    fc.boolean(),
  )
  .map(([mark, lines, ends]) => {
    const text = lines.map(([one, eol]) => one + eol).join('')
    return (mark ? '\u00ef\u00bb\u00bf' : '') + (ends ? text : text.replace(/\r?\n$/, ''))
  })

const key = fc.constantFrom('note', 'status', 'result', 'due', 'depends_on', 'error', 'title', 'x-1')
const name = fc.constantFrom('bob', 'planner-001', 'ä.b', 'c')
const state = fc.constantFrom<TaskState>('open', 'running', 'done', 'skipped', 'failed')
const anyChange: fc.Arbitrary<TaskChange> = fc.record(
  {
    state,
    title: anyText,
    priority: fc.option(fc.constantFrom('A', 'C', 'Z')),
    who: fc.uniqueArray(name, { maxLength: 3 }),
    tags: fc.uniqueArray(name, { maxLength: 3 }),
    fields: fc.dictionary(key, fc.option(anyText), { maxKeys: 3, noNullPrototype: true }),
  },
  { requiredKeys: [] },
)

/** All tasks except one, without their positions. */
function others(tasks: readonly TaskItem[], id: string) {
  return tasks
    .filter((task) => task.id !== id)
    .map(({ line: _, ...task }) => ({ ...task, fields: [...task.fields] }))
}

/** Returns whether all parts of the old text are still there, in order. */
function isSubsequence(part: string, whole: string): boolean {
  let at = 0
  for (const character of whole) if (character === part[at]) at++
  return at === part.length
}

test('a change is read back as intended, and every other task is unchanged', () => {
  const numRuns = process.env['CADRE_DEEP'] ? 1_200 : 300
  let changed = 0
  let refused = 0
  fc.assert(
    fc.property(anyFile, anyChange, fc.nat(), (written, change, pick) => {
      const { raw } = ensureIds(written, new Set())
      const before = readTaskFile(raw)
      const ids = before.tasks.flatMap(({ id }) => id ?? [])
      const id = ids[pick % Math.max(ids.length, 1)]
      if (id === undefined) return
      const edit = changeTask(raw, id, change)
      if (edit.kind === 'refused' && edit.reason.includes('without changing')) {
        // Rare, and only if the file has a reported problem.
        refused++
        expect(before.problems).not.toEqual([])
      }
      if (edit.kind !== 'changed') return
      changed++
      const after = readTaskFile(edit.raw)
      expect(others(after.tasks, id)).toEqual(others(before.tasks, id))
      const old = before.tasks.find((task) => task.id === id)
      const task = after.tasks.find((one) => one.id === id)
      expect(task?.line).toBe(old?.line)
      if (change.title !== undefined) expect(task?.title).toBe(normaliseTitle(change.title))
      else if (!change.fields?.['title'])
        expect(task?.title).toBe(
          change.fields?.['title'] === null && old?.title === old?.fields.get('title') ? '' : old?.title,
        )
      expect(task?.priority).toBe(
        change.priority === undefined ? old?.priority : (change.priority ?? undefined),
      )
      expect(task?.who).toEqual(change.who ?? old?.who)
      expect(task?.tags).toEqual(change.tags ?? old?.tags)
      if (change.state !== undefined) expect(task?.state).toBe(change.state)
      for (const [field, value] of Object.entries(change.fields ?? {}))
        if (field !== 'title' || change.title === undefined)
          expect(task?.fields.get(field)).toBe(value === null ? undefined : normaliseValue(value))
      for (const [field, value] of old?.fields ?? [])
        if (
          change.fields?.[field] === undefined &&
          field !== 'status' &&
          !(field === 'title' && change.title !== undefined)
        )
          expect(task?.fields.get(field)).toBe(value)
      // Repeating the change has no effect.
      expect(changeTask(edit.raw, id, change).kind).toBe('same')
    }),
    { numRuns },
  )
  expect(changed).toBeGreaterThan(numRuns / 4)
  expect(refused).toBeLessThan(changed / 30)
})

test('an added task is read back once, and no other byte is lost', () => {
  fc.assert(
    fc.property(
      fc.option(anyFile, { nil: undefined }),
      fc.record({
        title: anyText,
        fields: fc.dictionary(key, anyText, { maxKeys: 3, noNullPrototype: true }),
        who: fc.uniqueArray(name, { maxLength: 2 }),
        state,
      }),
      fc.nat(),
      fc.boolean(),
      (raw, task, pick, isBelow) => {
        const before = readTaskFile(raw ?? '')
        const ids = before.tasks.flatMap(({ id }) => id ?? [])
        const parent = isBelow ? ids[pick % Math.max(ids.length, 1)] : undefined
        const edit = addTask(raw, { ...task, id: 'new', ...(parent !== undefined && { parent }) })
        if (edit.kind === 'refused') return
        if (edit.kind !== 'changed') throw new Error(edit.kind)
        expect(isSubsequence(raw ?? '', edit.raw)).toBe(true)
        const after = readTaskFile(edit.raw)
        expect(others(after.tasks, 'new')).toEqual(others(before.tasks, 'new'))
        const found = after.tasks.filter(({ id }) => id === 'new')
        expect(found).toHaveLength(1)
        expect(found[0]).toMatchObject({
          title: normaliseTitle(task.title),
          who: task.who,
          state: task.state,
        })
        for (const [field, value] of Object.entries(task.fields))
          expect(found[0]?.fields.get(field)).toBe(normaliseValue(value))
        if (parent !== undefined) expect(found[0]?.parent).toBe(parent)
        // Removing it again restores the text.
        const gone = removeTask(edit.raw, 'new')
        if (gone.kind !== 'changed') throw new Error(gone.kind)
        expect(others(readTaskFile(gone.raw).tasks, 'new')).toEqual(others(before.tasks, 'new'))
      },
    ),
    { numRuns: process.env['CADRE_DEEP'] ? 600 : 200 },
  )
})

test('removes only a task and its subtasks', () => {
  fc.assert(
    fc.property(anyFile, fc.nat(), (written, pick) => {
      const { raw } = ensureIds(written, new Set())
      const before = readTaskFile(raw)
      const ids = before.tasks.flatMap(({ id }) => id ?? [])
      const id = ids[pick % Math.max(ids.length, 1)]
      if (id === undefined) return
      const edit = removeTask(raw, id)
      if (edit.kind !== 'changed') return
      expect(isSubsequence(edit.raw, raw)).toBe(true)
      const all = readTasks(raw)
      const lines = new Set(before.tasks.filter((task) => task.id === id).map(({ line }) => line))
      for (const task of all) if (lines.has(all[task.above]?.line ?? 0)) lines.add(task.line)
      const left = before.tasks.filter((task) => !lines.has(task.line))
      expect(others(readTaskFile(edit.raw).tasks, id)).toEqual(others(left, id))
    }),
    { numRuns: process.env['CADRE_DEEP'] ? 500 : 150 },
  )
})

test('writes only the missing ids', () => {
  fc.assert(
    fc.property(anyFile, (raw) => {
      const before = readTaskFile(raw)
      const { raw: changed, ids } = ensureIds(raw, new Set())
      expect(isSubsequence(raw, changed)).toBe(true)
      const after = readTaskFile(changed)
      const plain = ({ tasks }: typeof after) =>
        tasks.map(({ line: _, id: __, parent: ___, fields, ...task }) => ({
          ...task,
          fields: [...fields].filter(([field]) => field !== 'id'),
        }))
      expect(plain(after)).toEqual(plain(before))
      expect(new Set(ids).size).toBe(ids.length)
      expect(ensureIds(changed, new Set()).ids).toEqual([])
    }),
    { numRuns: process.env['CADRE_DEEP'] ? 500 : 150 },
  )
})

test('reads any bytes without an exception', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const raw = Buffer.from(bytes).toString('latin1')
      const { tasks, problems } = readTaskFile(raw)
      expect(Array.isArray(tasks) && Array.isArray(problems)).toBe(true)
    }),
  )
  expect(readTaskFile(rawOf('x')).tasks).toEqual([])
})
