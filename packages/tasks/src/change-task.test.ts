import { rawOf, textOf } from '@cadre/disk'
import { expect, test } from 'vitest'
import { addTask } from './add-task.ts'
import { changeTask } from './change-task.ts'
import { ensureIds } from './ensure-ids.ts'
import { newTaskId } from './new-task-id.ts'
import { readTaskFile } from './read-task-file.ts'
import { removeTask } from './remove-task.ts'
import type { TaskEdit } from './task-edit.ts'
import type { TaskChange } from './task-item.ts'

const file = `# Mine

Some text with trailing spaces.\u0020\u0020

## TODO
<!-- a comment -->

- [ ] A @bob #x  "Do it"   due: 2025-01-01
  id: t-1
\tnote: old\u0020\u0020
  description: |
    First.

    Last.

  - [_] child without quotes
    id: t-2

* [-] 'Failed'
  id: t-3
  status: failed
  error: it broke

## DONE
- [x] "old"
  id: t-4`

function change(id: string, wanted: TaskChange, text = file): string {
  return changed(changeTask(rawOf(text), id, wanted))
}

function changed(edit: TaskEdit): string {
  if (edit.kind !== 'changed') throw new Error(`${edit.kind} ${'reason' in edit ? edit.reason : ''}`)
  return textOf(edit.raw)
}

test.each<[string, string, TaskChange, string, string]>([
  ['a marker', 't-1', { state: 'running' }, '- [ ] A @bob', '- [~] A @bob'],
  ['a marker of a child', 't-2', { state: 'done' }, '[_] child', '[x] child'],
  ['a priority', 't-1', { priority: 'B' }, '] A @bob', '] B @bob'],
  ['no priority', 't-1', { priority: null }, '] A @bob', '] @bob'],
  ['who', 't-1', { who: ['eve', 'al'] }, '@bob #x', '@eve @al #x'],
  ['nobody', 't-1', { who: [] }, '@bob #x', '#x'],
  ['tags', 't-1', { tags: ['x', 'y'] }, '#x  "', '#x #y  "'],
  ['a title', 't-1', { title: 'Say "hi"' }, '"Do it"', '"Say \\"hi\\""'],
  ['a title in single quotes', 't-3', { title: 'Other' }, "'Failed'", "'Other'"],
  ['a title that needs other quotes', 't-3', { title: "it' s" }, "'Failed'", '"it\' s"'],
  ['a bare title', 't-2', { title: 'now this' }, 'child without quotes', 'now this'],
  ['a bare title that must be quoted', 't-2', { title: 'A @x #y' }, 'child without quotes', '"A @x #y"'],
  ['a field on the line', 't-1', { fields: { due: '2026-02-02' } }, 'due: 2025-01-01', 'due: 2026-02-02'],
  [
    'a field on the line with spaces',
    't-1',
    { fields: { due: 'next week' } },
    'due: 2025-01-01',
    'due: "next week"',
  ],
  ['a field below', 't-1', { fields: { note: 'new' } }, 'note: old', 'note: new'],
  ['a field that could be misread', 't-1', { fields: { note: '|' } }, 'note: old', 'note: "|"'],
  ['an empty field', 't-1', { fields: { note: '' } }, 'note: old', 'note: ""'],
  ['no field', 't-1', { fields: { note: null } }, '\tnote: old  \n', ''],
  ['no block', 't-1', { fields: { description: null } }, '  description: |\n    First.\n\n    Last.\n', ''],
  [
    'a block',
    't-1',
    { fields: { description: 'One\n\n  Two' } },
    '    First.\n\n    Last.\n',
    '    One\n\n      Two\n',
  ],
  [
    'a block that becomes a line',
    't-1',
    { fields: { description: 'One' } },
    '|\n    First.\n\n    Last.\n',
    'One\n',
  ],
  [
    'a line that becomes a block',
    't-3',
    { fields: { error: 'a\nb' } },
    'error: it broke\n',
    'error: |\n    a\n    b\n',
  ],
  [
    'a new field',
    't-3',
    { fields: { session: 's' } },
    'error: it broke\n',
    'error: it broke\n  session: s\n',
  ],
  ['a new field before a block', 't-1', { fields: { x: 'y' } }, 'note: old  \n', 'note: old  \n\tx: y\n'],
  [
    'a new block',
    't-2',
    { fields: { result: 'a\nb' } },
    'id: t-2\n',
    'id: t-2\n    result: |\n      a\n      b\n',
  ],
  [
    'a reopened task',
    't-3',
    { state: 'open' },
    "[-] 'Failed'\n  id: t-3\n  status: failed\n",
    "[ ] 'Failed'\n  id: t-3\n",
  ],
  [
    'a failed task',
    't-4',
    { state: 'failed' },
    '[x] "old"\n  id: t-4',
    '[-] "old"\n  id: t-4\n  status: failed',
  ],
  [
    'a skipped task that says why',
    't-4',
    { state: 'skipped', fields: { status: 'skipped' } },
    '[x] "old"\n  id: t-4',
    '[-] "old"\n  id: t-4\n  status: skipped',
  ],
])('%s: these bytes and no others', (_, id, wanted, before, after) => {
  expect(file.split(before)).toHaveLength(2)
  expect(change(id, wanted)).toBe(file.replace(before, () => after))
  // Other line endings are kept too.
  const windows = (text: string) => text.replaceAll('\n', '\r\n')
  expect(change(id, wanted, windows(file))).toBe(windows(file.replace(before, () => after)))
})

test('replaces two markers with one', () => {
  expect(change('a', { state: 'done' }, '- [x] [-] B "T"\n  id: a\n')).toBe('- [x] B "T"\n  id: a\n')
  expect(change('a', { state: 'open' }, '- [-] [x] "T"\n  id: a\n')).toBe('- [ ] "T"\n  id: a\n')
})

test('does not rewrite a value that is already set', () => {
  const text = '- [X] "T"\n  id: "a"\n  note: \'x\'\n- [_] "U"\n  id: b\n'
  expect(changeTask(text, 'a', { state: 'done', title: 'T', fields: { note: 'x' } })).toEqual({
    kind: 'same',
  })
  expect(changeTask(text, 'b', { state: 'open', fields: { none: null } })).toEqual({ kind: 'same' })
  expect(changeTask(text, 'c', { state: 'open' })).toEqual({ kind: 'missing' })
})

test.each<[TaskChange, RegExp]>([
  [{ title: ' \n ' }, /needs a title/],
  [{ priority: 'AA' }, /one capital letter/],
  [{ who: ['a b'] }, /one word/],
  [{ tags: [''] }, /one word/],
  [{ fields: { 'a b': 'x' } }, /is not a valid key/],
  [{ fields: { 'x: y\n  id': 'x' } }, /is not a valid key/],
  [{ fields: { id: 'other' } }, /cannot be changed/],
  [{ state: 'failed', fields: { status: 'fine' } }, /cannot be failed/],
  [{ state: 'done', fields: { status: 'failed' } }, /cannot be done/],
])('%j is refused', (wanted, reason) => {
  expect(changeTask(file, 't-1', wanted)).toEqual({ kind: 'refused', reason: expect.stringMatching(reason) })
})

test('changes neither of two tasks with the same id', () => {
  const text = '- [ ] "a"\n  id: x\n- [ ] "b"\n  id: x\n'
  expect(changeTask(text, 'x', { state: 'done' })).toEqual({
    kind: 'refused',
    reason: expect.stringMatching(/lines 1 and 3/),
  })
  expect(removeTask(text, 'x').kind).toBe('refused')
})

test('a block never absorbs the tasks below it, at any depth', () => {
  const text = '- [ ] "a"\n  id: a\n      - [ ] "deep"\n        id: b\n'
  const after = change('a', { fields: { result: 'one\ntwo' } }, text)
  expect(readTaskFile(after).tasks.map(({ id, parent }) => [id, parent])).toEqual([
    ['a', undefined],
    ['b', 'a'],
  ])
  expect(readTaskFile(after).tasks[0]?.fields.get('result')).toBe('one\ntwo')
})

test('an agent’s text cannot close a code fence or comment that a person left open', () => {
  const text = '```\n<!--\n- [ ] "a"\n id: a\n- [ ] "b"\n  id: b\n'
  for (const value of ['x\n```\ny', 'a -->', 'x\n-->\ny', '```']) {
    const after = change('b', { fields: { result: value } }, change('a', { fields: { result: value } }, text))
    expect(readTaskFile(after).tasks.map(({ id, fields }) => [id, fields.get('result')])).toEqual([
      ['a', value],
      ['b', value],
    ])
  }
})

test('adds new tasks at the end of the TODO section, or below their parent', () => {
  const task = { id: 'n', title: 'New', who: ['bob'], priority: 'C', tags: ['t'], fields: { note: 'a\nb' } }
  const lines = '- [ ] C @bob #t "New"\n  id: n\n  note: |\n    a\n    b\n'
  expect(changed(addTask(undefined, task))).toBe(`## TODO\n\n${lines}`)
  expect(changed(addTask('# Mine', task))).toBe(`# Mine\n\n## TODO\n\n${lines}`)
  expect(changed(addTask(rawOf(file), task))).toBe(
    file.replace('error: it broke\n', () => `error: it broke\n\n${lines.replace('-', '*')}`),
  )
  expect(changed(addTask('## TODO\n- [ ] "a"\n- [ ] "b"\n## DONE\n', task))).toBe(
    `## TODO\n- [ ] "a"\n- [ ] "b"\n${lines}## DONE\n`,
  )
  expect(changed(addTask('## TODO\n\nNothing yet.\n\n## DONE\n', task))).toBe(
    `## TODO\n\nNothing yet.\n\n${lines}\n## DONE\n`,
  )
  const below = lines.replace(/^(?=.)/gm, '  ')
  expect(changed(addTask(rawOf(file), { ...task, parent: 't-1' }))).toBe(
    file.replace('    id: t-2\n', () => `    id: t-2\n${below}`),
  )
  expect(changed(addTask('```\n## TODO\n```\n', task))).toBe(`\`\`\`\n## TODO\n\`\`\`\n\n## TODO\n\n${lines}`)
  expect(addTask(rawOf(file), { ...task, id: 't-1' })).toMatchObject({
    kind: 'refused',
    reason: /line 8 has/,
  })
  expect(addTask(rawOf(file), { ...task, parent: 'none' }).kind).toBe('refused')
  expect(addTask('', { ...task, id: 'a b' }).kind).toBe('refused')
})

test('removes a task together with its subtasks', () => {
  const at = file.indexOf('- [ ] A')
  expect(changed(removeTask(rawOf(file), 't-1'))).toBe(file.slice(0, at) + file.slice(file.indexOf('* [-]')))
  expect(changed(removeTask(rawOf(file), 't-4'))).toBe(file.slice(0, file.indexOf('- [x] "old"')))
})

test('writes missing ids, which are unique', () => {
  const { raw, ids } = ensureIds(
    '- [ ] "same"\n- [ ] "same"\r\n  note: |\r\n    x\r\n- [ ] "has"\n  id: mine',
    new Set(),
  )
  expect(new Set(ids).size).toBe(2)
  expect(raw).toBe(
    `- [ ] "same"\n  id: ${ids[0]}\n- [ ] "same"\r\n  id: ${ids[1]}\r\n  note: |\r\n    x\r\n- [ ] "has"\n  id: mine`,
  )
  expect(ids[0]).toMatch(/^task-[0-9a-f]{8}$/)
  expect(ensureIds('- [ ] "T"', new Set(), () => false)).toEqual({ raw: '- [ ] "T"', ids: [] })
  const taken = new Set(Array.from({ length: 1000 }, () => newTaskId(new Set())))
  expect(taken.has(newTaskId(taken))).toBe(false)
})
