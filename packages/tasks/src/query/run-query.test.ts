import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { rawOf, textOf } from '@cadre/disk'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { changeTask } from '../change-task.ts'
import { readTaskFile } from '../read-task-file.ts'
import { removeTask } from '../remove-task.ts'
import { editChunks } from './edit-chunks.ts'
import { openQueryFiles } from './open-query-files.ts'
import { parseQuery } from './parse-query.ts'
import { QueryError } from './query-error.ts'
import { type QueryResult, runQuery } from './run-query.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-query-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const files = () => openQueryFiles({ folder })
const write = (name: string, text: string) => {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
  writeFileSync(path.join(folder, name), text)
}
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
const run = (query: string) => runQuery(parseQuery(query), files())
const rejects = async (query: string) => {
  const error: unknown = await run(query).catch((failure: unknown) => failure)
  expect(error).toBeInstanceOf(QueryError)
  return (error as QueryError).sentence
}
const idsOf = (answer: QueryResult) =>
  answer.kind === 'select' ? answer.rows.map(({ file, task }) => `${file}:${task.id}`) : []

const one =
  '# Of a person\r\n\r\n- [ ] A @ann "One" <!-- stays -->\r\n  id: one\r\n\r\n- [ ] "Two"\r\n  id: two\r\n'
const two = '## TODO\n\n- [ ] "Three"\n  id: three\n  - [ ] "Four"\n    id: four\n'

describe('files', () => {
  it('are selected by name, pattern or folder', async () => {
    write('a.task.md', one)
    write('tasks/b.task.md', two)
    write('tasks/notes.md', '- [ ] "Not meant"\n')
    write('tasks/deep/c.task.md', '- [ ] "Deep"\n  id: deep\n')
    write('.hidden/d.task.md', two)
    expect(idsOf(await run('SELECT * FROM a.task.md'))).toEqual(['a.task.md:one', 'a.task.md:two'])
    expect(idsOf(await run('SELECT * FROM tasks WHERE depth = 0'))).toEqual(['tasks/b.task.md:three'])
    expect(idsOf(await run('SELECT * FROM *a*/*.task.md WHERE depth = 0'))).toEqual(['tasks/b.task.md:three'])
    expect(idsOf(await run("SELECT * FROM **/*.task.md WHERE id IN ('one', 'three', 'deep')"))).toEqual([
      'a.task.md:one',
      'tasks/b.task.md:three',
      'tasks/deep/c.task.md:deep',
    ])
    expect(idsOf(await run(`SELECT * FROM '${folder}/a.task.md' LIMIT 1`))).toEqual([
      `${folder}/a.task.md:one`,
    ])
    expect(await run('SELECT * FROM x*.task.md')).toMatchObject({
      rows: [],
      notes: ['No file matches x*.task.md.'],
    })
    expect(await rejects('SELECT * FROM b.task.md')).toBe(
      'there is no file b.task.md. Did you mean a.task.md?',
    )
  })

  it('links are neither read nor written, and an unreadable file does not hide others', async () => {
    write('real/a.task.md', two)
    symlinkSync('real/a.task.md', path.join(folder, 'link.task.md'))
    await expect(run("UPDATE link.task.md SET x = 'y' WHERE id = 'three'")).rejects.toThrow('regular file')
    expect(await run('SELECT * FROM link.task.md')).toMatchObject({ rows: [], problems: [{ code: 'TD901' }] })
    write('b.task.md', 'a\0b')
    write('c.task.md', two)
    expect(await run('SELECT * FROM *.task.md')).toMatchObject({
      rows: [{ task: { id: 'three' } }, { task: { id: 'four' } }],
      problems: [{ file: 'b.task.md', code: 'TD903' }],
    })
    expect(read('real/a.task.md')).toBe(two)
  })
})

describe('changes', () => {
  it('over several files are all made, or none', async () => {
    write('a.task.md', one)
    write('b.task.md', two)
    write('c.task.md', '- [ ] "Nameless"\n')
    expect(await rejects("UPDATE *.task.md SET x = 'y' WHERE state = 'open'")).toContain(
      'c.task.md:1: The task has no id',
    )
    expect([read('a.task.md'), read('b.task.md')]).toEqual([one, two])
    expect(await run("UPDATE *.task.md SET x = 'y' WHERE id IS NOT NULL")).toMatchObject({ updated: 4 })
    expect(read('a.task.md')).toBe(
      one.replace('id: one\r\n', 'id: one\r\n  x: y\r\n').replace('id: two\r\n', 'id: two\r\n  x: y\r\n'),
    )
    expect(idsOf(await run("SELECT * FROM *.task.md WHERE x = 'y'"))).toHaveLength(4)
  })

  it('are based on the content at the time of the write', async () => {
    write('a.task.md', two)
    const real = files()
    const late: typeof real = {
      ...real,
      edit(file, edit) {
        // Between plan and write, a person completes one task and adds another.
        write('a.task.md', `${two.replace('[ ] "Three"', '[x] "Three"')}- [ ] "Five"\n  id: five\n`)
        return real.edit(file, edit)
      },
    }
    const answer = await runQuery(parseQuery("UPDATE a.task.md SET priority = 'A' WHERE NOT completed"), late)
    expect(answer).toMatchObject({ updated: 2 })
    expect(
      readTaskFile(read('a.task.md')).tasks.map(({ id, priority, state }) => [id, priority, state]),
    ).toEqual([
      ['three', undefined, 'done'],
      ['four', 'A', 'open'],
      ['five', 'A', 'open'],
    ])
  })

  it('set every field', async () => {
    write('a.task.md', two)
    await run(
      "UPDATE a.task.md SET state = 'failed', title = 'A \"new\" one', who = ('x', '@y'), tags = '#a, b', due = 5, ok = TRUE, note = 'a\nb' WHERE id = 'three'",
    )
    const [task] = readTaskFile(rawOf(read('a.task.md'))).tasks
    expect(task).toMatchObject({ state: 'failed', title: 'A "new" one', who: ['x', 'y'], tags: ['a', 'b'] })
    expect(Object.fromEntries(task?.fields ?? [])).toEqual({
      id: 'three',
      status: 'failed',
      due: '5',
      ok: 'true',
      note: 'a\nb',
    })
    await run(
      "UPDATE a.task.md SET completed = TRUE, who = NULL, tags = NULL, due = NULL, ok = NULL, note = NULL, title = 'Three' WHERE id = 'three'",
    )
    expect(read('a.task.md')).toBe(two.replace('[ ] "Three"', '[x] "Three"'))
  })

  it.each([
    [
      "UPDATE a.task.md SET completed = TRUE, skipped = TRUE WHERE id = 'three'",
      'conflicts with an earlier SET',
    ],
    ["UPDATE a.task.md SET parent = 'x' WHERE id = 'three'", 'Cannot set parent'],
    ["UPDATE a.task.md SET line = 3 WHERE id = 'three'", 'Cannot set line'],
    ["UPDATE a.task.md SET priority = 'high' WHERE id = 'three'", 'one letter'],
    ["UPDATE a.task.md SET title = '' WHERE id = 'three'", 'one non-empty line of text'],
    ["UPDATE a.task.md SET title = 'a\nb' WHERE id = 'three'", 'one non-empty line of text'],
    ["UPDATE a.task.md SET who = 'a b, [x]' WHERE id = 'three'", 'is not a valid value for who'],
    ["UPDATE a.task.md SET completed = 'soon' WHERE id = 'three'", 'must be TRUE or FALSE'],
    ["UPDATE a.task.md SET `a b` = 'c' WHERE id = 'three'", 'is not a valid field name'],
    ["UPDATE a.task.md SET äh = 'c' WHERE id = 'three'", 'is not a valid field name'],
    ["INSERT INTO a.task.md SET title = 'x', id = 'three'", 'Task three already exists in a.task.md'],
    ["INSERT INTO a.task.md SET title = 'x', id = 'other'", 'Task other already exists in z.task.md'],
    ["INSERT INTO a.task.md SET title = 'x', parent = 'nobody'", 'nobody'],
    [
      "DELETE FROM a.task.md WHERE id = 'three'",
      'Cannot delete three: the query does not match its subtask four',
    ],
    ['SELECT * FROM a.task.md INTO z.task.md', 'z.task.md already exists'],
  ])('%s is refused, and nothing is changed', async (query, sentence) => {
    write('a.task.md', two)
    write('z.task.md', '- [ ] "Other"\n  id: other\n')
    expect(await rejects(query)).toContain(sentence)
    expect(read('a.task.md')).toBe(two)
    expect(readdirSync(folder)).toEqual(['a.task.md', 'z.task.md'])
  })

  it('an inserted task is at the right position', async () => {
    const answer = await run("INSERT INTO new.task.md SET title = 'First', priority = 'b', state = 'done'")
    expect(answer).toMatchObject({
      kind: 'insert',
      file: 'new.task.md',
      id: expect.stringMatching(/^task-[0-9a-f]{8}$/),
    })
    await run("INSERT INTO new.task.md SET title = 'Second', id = 's'")
    await run("INSERT INTO new.task.md SET title = 'Below', parent = 's', id = 'b'")
    expect(
      readTaskFile(read('new.task.md')).tasks.map(({ title, depth, section }) => [title, depth, section]),
    ).toEqual([
      ['First', 0, 'TODO'],
      ['Second', 0, 'TODO'],
      ['Below', 1, 'TODO'],
    ])
  })
})

describe('any query', () => {
  const piece = fc.constantFrom(
    ...[
      'SELECT',
      '*',
      'id',
      'FROM',
      'a.task.md',
      '*.task.md',
      '..',
      'WHERE',
      'ORDER BY',
      'LIMIT',
      '2',
      'INTO',
      'b',
    ],
    ...[
      'UPDATE',
      'SET',
      'title',
      '=',
      "'x'",
      ',',
      'DELETE',
      'INSERT',
      'INTO',
      'AND',
      'OR',
      'NOT',
      '(',
      ')',
      'IS',
    ],
    ...[
      'NULL',
      'priority',
      'completed',
      'TRUE',
      'who',
      'IN',
      'LIKE',
      "'%'",
      'parent',
      "'three'",
      'depth',
      '<',
    ],
  )
  const likely = fc.constantFrom(
    'SELECT * FROM a.task.md WHERE',
    'UPDATE a.task.md SET title =',
    'DELETE FROM *.task.md WHERE',
    'INSERT INTO a.task.md SET',
  )

  it('returns an answer, or an error that a person can act on', async () => {
    const words = fc
      .tuple(likely, fc.array(piece, { maxLength: 8 }))
      .map(([start, rest]) => `${start} ${rest.join(' ')}`)
    await fc.assert(
      fc.asyncProperty(words, async (query) => {
        write('a.task.md', two)
        const error: unknown = await (async () => run(query))().then(
          () => undefined,
          (failure: unknown) => failure,
        )
        if (error === undefined) return
        expect(error).toBeInstanceOf(CadreError)
        expect(read('a.task.md')).toBe(two)
      }),
      { numRuns: process.env['CADRE_DEEP'] ? 500 : 20 },
    )
  })
})

describe('INTO', () => {
  it('writes the selected tasks completely, below their parents', async () => {
    const text = [
      '## TODO',
      '- [x] A @ann #x "Top" ',
      '  id: top',
      '  description: |',
      '    - [x] "no task"',
      '',
      '      deeper',
      '  - [-] "Mid"',
      '    id: mid',
      '    status: failed',
      "    - [ ] 'Leaf äöü'",
      '      id: leaf',
      '- [~] "Loose"',
      '',
    ].join('\n')
    write('a.task.md', text)
    await run('SELECT * FROM a.task.md ORDER BY line DESC INTO b.task.md')
    const before = readTaskFile(rawOf(text)).tasks
    const { tasks: after, problems } = readTaskFile(rawOf(read('b.task.md')))
    expect(problems).toEqual([])
    expect(after.map(({ title, depth, state }) => [title, depth, state])).toEqual([
      ['Loose', 0, 'running'],
      ['Top', 0, 'done'],
      ['Mid', 1, 'failed'],
      ['Leaf äöü', 2, 'open'],
    ])
    expect(after[1]?.fields).toEqual(before[0]?.fields)
    await run("SELECT * FROM a.task.md WHERE id IN ('leaf', 'top') INTO c.task.md")
    expect(readTaskFile(read('c.task.md')).tasks.map(({ id, depth }) => [id, depth])).toEqual([
      ['top', 0],
      ['leaf', 0],
    ])
  })

  it('loses no task whose parents form a cycle', async () => {
    write(
      'a.task.md',
      '- [ ] "A"\n  id: a\n  parent: b\n- [ ] "B"\n  id: b\n  parent: a\n- [ ] "C"\n  id: c\n  parent: c\n',
    )
    await run('SELECT * FROM a.task.md INTO b.task.md')
    expect(readTaskFile(read('b.task.md')).tasks).toHaveLength(3)
  })
})

describe('many edits at once', () => {
  it('cannot close a comment that a person left open above other tasks', async () => {
    const text = '<!-- left open\n- [ ] "One"\n  id: one\n- [ ] "Two"\n  id: two\n'
    write('a.task.md', text)
    const closes = "UPDATE a.task.md SET title = 'done -->' WHERE id = 'two'"
    expect(await rejects(closes)).toContain('would change the meaning of other tasks')
    expect(read('a.task.md')).toBe(text)
  })

  const line = fc.constantFrom(
    ...[
      '- [ ] "T"\n  id: ID\n',
      '- [x] A @w T\n    id: ID\n',
      '  - [ ] T\n    id: ID\n',
      '    - [-] `T`\n      id: ID\n',
      '- [ ] no id\n',
    ],
    ...[
      '## Heading\n',
      'text\n',
      '\n',
      '<!--\n',
      '-->\n',
      '```\n',
      '  x: |\n    - [ ] in a block\n',
      '  y: z\n',
      '- [?] broken\n',
    ],
  )
  const file = fc
    .array(line, { maxLength: 25 })
    .map((lines) => lines.map((text, at) => text.replace('ID', `t${at}`)).join(''))

  it('have the same result as one after the other', () => {
    fc.assert(
      fc.property(file, fc.infiniteStream(fc.boolean()), fc.boolean(), (text, coins, isRemoval) => {
        const raw = rawOf(text)
        const { tasks } = readTaskFile(raw)
        const targets = new Set(
          tasks.filter(
            ({ id, depth }) => id !== undefined && (!isRemoval || depth === 0) && coins.next().value === true,
          ),
        )
        const edit = isRemoval
          ? removeTask
          : (given: string, id: string) => changeTask(given, id, { state: 'running', fields: { note: 'n' } })
        let expected: string | undefined = raw
        for (const { id = '' } of targets) {
          const result = edit(expected, id)
          if (result.kind === 'refused' || result.kind === 'missing') return
          if (result.kind === 'changed') expected = result.raw
        }
        const after = editChunks({ raw, tasks, targets, edit })
        const strip = (given: string) => readTaskFile(given).tasks.map(({ line: _, ...task }) => task)
        expect(strip(after)).toEqual(strip(expected))
        if (!isRemoval) expect(textOf(after)).toBe(textOf(expected))
      }),
      { numRuns: process.env['CADRE_DEEP'] ? 500 : 20 },
    )
  })

  it('of very many tasks are applied together', async () => {
    const count = 13 * 8 * (process.env['CADRE_DEEP'] ? 100 : 5)
    const text = Array.from(
      { length: count },
      (_, at) => `- [ ] B @w${at % 8} #t "Task ${at}"\n  id: t${at}\n  effort: ${at % 13}\n`,
    )
    // Twelve of thirteen efforts, and seven of eight names.
    const updated = (count * 12 * 7) / (13 * 8)
    write('a.task.md', text.join(''))
    expect(await run("UPDATE a.task.md SET seen = TRUE WHERE effort < 12 AND who != 'w3'")).toMatchObject({
      updated,
    })
    expect(await run('SELECT * FROM a.task.md WHERE seen = TRUE INTO b.task.md')).toMatchObject({
      into: 'b.task.md',
    })
    expect(await run('DELETE FROM a.task.md WHERE seen = TRUE')).toMatchObject({ deleted: updated })
    expect(readTaskFile(read('a.task.md')).tasks).toHaveLength(count - updated)
  })
})
