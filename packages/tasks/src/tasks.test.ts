import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rawOf, textOf } from '@cadre/disk'
import { editFile } from '@cadre/home'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { applySplices, fieldSplice, insertTask, markerSplice } from './edit-tasks.ts'
import { fieldOf, readTasks } from './read-tasks.ts'

const seed = `## TODO

- [x] A @planner-001 #redis "Plan Redis check workflow"
  id: task-001
  created: 2025-10-04T10:00:00Z

  - [ ] B @retriever-001 #system "Detect container runtime"
    id: task-002
    parent: task-001

- [ ] A @evaluator-001 "Validate"
  id: task-004
  description: |
    First
      - [x] not a task
      id: task-999

    ## TODO
  depends_on: task-003
Text of a person.
  id: of-nobody
`

test('finds tasks and subtasks with their fields, and none inside a block', () => {
  const tasks = readTasks(seed)
  expect(tasks.map((task) => [task.marker, fieldOf(task, 'id'), task.line])).toEqual([
    ['x', 'task-001', 3],
    [' ', 'task-002', 7],
    [' ', 'task-004', 11],
  ])
  const [, , last] = tasks
  expect(fieldOf(last!, 'depends_on')).toBe('task-003')
  expect(last?.fields.find(({ key }) => key === 'description')?.block).toEqual([
    'First',
    '  - [x] not a task',
    '  id: task-999',
    '',
    '## TODO',
  ])
})

test('a duplicate field has no value', () => {
  const [task] = readTasks('- [ ] a\n  id: one\n  id: two\n')
  expect(fieldOf(task!, 'id')).toBeUndefined()
})

test('a change of any text keeps every other byte', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '## TODO',
      '- [_] x',
      '  id: t',
      '  note:',
      '  description: |',
      '    - [x] in a block',
      '',
      '\t',
      'text',
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc
      .uint8Array({ maxLength: 8 })
      .map((bytes) => Buffer.from(bytes).toString('latin1').replaceAll('\n', '')),
  )
  const file = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 14 })
    .map((lines) => lines.map(([text, eol]) => rawOf(text) + eol).join(''))
  fc.assert(
    fc.property(
      file,
      fc.constantFrom('x', '-'),
      fc.string({ maxLength: 20 }),
      fc.nat(),
      (raw, marker, value, pick) => {
        const tasks = readTasks(raw)
        const task = tasks[pick % Math.max(tasks.length, 1)]
        if (task === undefined) return
        const splices = [
          ...markerSplice(task, marker),
          ...fieldSplice(raw, task, { key: 'note', value: `n ${value}`, after: 'id' }),
        ]
        const changed = applySplices(raw, splices)
        // Reversing the splices restores the original bytes.
        let restored = changed
        for (const splice of splices.toSorted((a, b) => a.at - b.at)) {
          restored =
            restored.slice(0, splice.at) +
            raw.slice(splice.at, splice.at + splice.remove) +
            restored.slice(splice.at + splice.insert.length)
        }
        expect(restored).toBe(raw)
        const again = readTasks(changed)
        expect(again).toHaveLength(tasks.length)
        const same = again[pick % tasks.length]
        expect(same?.marker).toBe(marker)
        expect(same?.fields.filter(({ key }) => key === 'note').at(0)?.value).toBe(
          `n ${value}`.replace(/\s+/g, ' ').trim(),
        )
        // The other tasks are unchanged.
        const view = (list: typeof tasks) =>
          list
            .filter((_, index) => index !== pick % tasks.length)
            .map(({ head, fields }) => [head, fields.map(({ key, value: text }) => [key, text])])
        expect(view(again)).toEqual(view(tasks))
      },
    ),
    { numRuns: process.env['CADRE_DEEP'] ? 2000 : 500 },
  )
})

test('inserts a task at the top of the TODO section, and keeps every other byte', () => {
  const any = fc.array(
    fc.constantFrom('## TODO', '# Mine', '- [ ] other', '  id: o', '', 'text', '## DONE'),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(any, fc.constantFrom('\n', '\r\n'), fc.boolean(), fc.boolean(), (lines, eol, ends, mark) => {
      const raw = (mark ? rawOf('\ufeff') : '') + lines.join(eol) + (ends && lines.length > 0 ? eol : '')
      const block = ['- [_] new', '  id: new']
      const changed = insertTask(raw, block)
      const written = block.join(changed.includes('\r\n') && !changed.includes('new\n  id') ? '\r\n' : '\n')
      expect(changed).toContain(written)
      const task = readTasks(changed).find((one) => fieldOf(one, 'id') === 'new')
      expect(task?.head).toBe('new')
      const before = readTasks(raw)
      expect(readTasks(changed)).toHaveLength(before.length + 1)
      const words = (text: string) => text.split(/\r?\n/).filter((one) => one.trim() !== '')
      const rest = words(changed.replace(written, ''))
      expect(raw.includes('## TODO') ? rest : rest.filter((one) => one !== '## TODO')).toEqual(words(raw))
    }),
    { numRuns: process.env['CADRE_DEEP'] ? 1000 : 300 },
  )
})

test('a multi-line value becomes one line, and cannot add a field', () => {
  const raw = '- [_] a\n  id: one\n  status: pending\n'
  const [task] = readTasks(raw)
  const changed = applySplices(
    raw,
    fieldSplice(raw, task!, { key: 'reason', value: 'no\n  status: approved' }),
  )
  expect(fieldOf(readTasks(changed)[0]!, 'status')).toBe('pending')
  expect(fieldOf(readTasks(changed)[0]!, 'reason')).toBe('no status: approved')
})

function withPinnedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-tasks-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a save during a change is not lost: the change is applied to the saved file', () => {
  const file = join(withPinnedFolder(), 'a.task.md')
  writeFileSync(file, 'one\n')
  let saves = 0
  editFile(file, (raw) => {
    // An editor that saves a few times during the change, in place or by a rename.
    if (saves < 5) writeFileSync(file, `${textOf(raw ?? '')}saved ${saves++}\n`)
    return `${raw}ours\n`
  })
  expect(readFileSync(file, 'utf8')).toBe('one\nsaved 0\nsaved 1\nsaved 2\nsaved 3\nsaved 4\nours\n')
})

test('does not replace a file that was created in the meantime', () => {
  const folder = withPinnedFolder()
  const file = join(folder, 'a.task.md')
  let isFirst = true
  editFile(file, (raw) => {
    if (isFirst) writeFileSync(file, 'theirs\n')
    isFirst = false
    return `${raw ?? ''}ours\n`
  })
  expect(readFileSync(file, 'utf8')).toBe('theirs\nours\n')
  expect(readdirSync(folder)).toEqual(['a.task.md'])
})

test('neither follows nor replaces a link', () => {
  const folder = withPinnedFolder()
  writeFileSync(join(folder, 'target'), 'precious')
  symlinkSync('target', join(folder, 'a.task.md'))
  expect(() => editFile(join(folder, 'a.task.md'), () => 'x')).toThrow(/regular file/)
  expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('precious')
})
