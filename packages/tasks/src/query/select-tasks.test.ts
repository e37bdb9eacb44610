import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TaskItem, TaskState } from '../task-item.ts'
import { answerSelect, rowObject } from './answer-select.ts'
import { parseQuery } from './parse-query.ts'
import { filesWith, taskOf } from './query.spec-helpers.ts'
import type { SelectQuery } from './query.ts'

function select(query: string, tasks: readonly TaskItem[]) {
  return answerSelect(parseQuery(query) as SelectQuery, filesWith(tasks))
}

const tasks = [
  taskOf({
    id: 'a',
    priority: 'B',
    state: 'done',
    who: ['ann'],
    tags: ['redis', 'ops'],
    fields: new Map([['effort', '9']]),
  }),
  taskOf({ id: 'b', priority: 'A', who: ['ann', 'ben'], dependsOn: ['a'], title: '100% of it' }),
  taskOf({
    id: 'c',
    state: 'skipped',
    fields: new Map([
      ['effort', '10'],
      ['approval_required', 'true'],
    ]),
  }),
  taskOf({
    id: 'd',
    state: 'failed',
    parent: 'c',
    fields: new Map([
      ['effort', 'much'],
      ['completed', '2025-10-04'],
    ]),
  }),
  taskOf({ id: '42', state: 'running', priority: 'A', title: 'Say "hi"' }),
]
const ids = (where: string) =>
  select(`SELECT id FROM x ${where}`, tasks)
    .rows.map(({ task }) => task.id)
    .join(' ')

describe('conditions', () => {
  it.each([
    ['WHERE completed = TRUE', 'a'],
    ["WHERE completed = 'true'", 'a'],
    ['WHERE NOT completed AND NOT skipped', 'b 42'],
    ['WHERE skipped', 'c d'],
    ["WHERE state = 'failed'", 'd'],
    ["WHERE priority = 'B' AND completed = true", 'a'],
    ["WHERE priority = 'A' AND completed = true", ''],
    ["WHERE priority != 'A'", 'a'],
    ["WHERE NOT priority = 'A'", 'a'],
    ["WHERE priority != 'A' OR priority IS NULL", 'a c d'],
    ["WHERE who = 'ben'", 'b'],
    ["WHERE stakeholders CONTAINS 'ann'", 'a b'],
    ["WHERE who != 'ben'", 'a'],
    ["WHERE who IN ('ben', 'zoe')", 'b'],
    ["WHERE who LIKE 'BE%'", 'b'],
    ['WHERE who IS NULL', 'c d 42'],
    ["WHERE title CONTAINS '% of'", 'b'],
    ["WHERE title LIKE '100\\%%'", 'b'],
    ["WHERE title LIKE '1__\\%%'", 'b'],
    ["WHERE title LIKE '1_\\%%'", ''],
    ["WHERE title LIKE 'say%'", '42'],
    ["WHERE title LIKE '_ t_sk'", 'a c d'],
    ['WHERE effort > 9', 'c'],
    ['WHERE effort >= 9', 'a c'],
    ["WHERE effort > '9'", 'd'],
    ['WHERE NOT effort > 9', 'a'],
    ['WHERE effort != 9', 'c d'],
    ["WHERE effort IN (9, 'much')", 'a d'],
    ['WHERE approval_required = TRUE', 'c'],
    ['WHERE id = 42', '42'],
    ["WHERE depends_on = 'a'", 'b'],
    ["WHERE parent = 'c'", 'd'],
    ["WHERE completed_at < '2025-10-05'", 'd'],
    ['WHERE line = 1 AND depth = 0 LIMIT 2', 'a b'],
    ['ORDER BY priority', 'c d b 42 a'],
    ['ORDER BY priority DESC', 'a b 42 c d'],
    ['ORDER BY effort, id DESC', 'b 42 a c d'],
    ['ORDER BY completed DESC, skipped DESC LIMIT 3', 'a c d'],
    ['LIMIT 0', ''],
    ['WHERE nothing IS NULL LIMIT 1', 'a'],
    ["WHERE nothing = 'x' OR NOT nothing = 'x'", ''],
  ])('%s: %s', (where, expected) => {
    expect(ids(where)).toBe(expected)
  })

  it('returns the selected fields, and all fields for *', () => {
    const some = select("SELECT ID, who, effort, priority FROM x WHERE id = 'c'", tasks)
    expect(some.fields).toEqual(['id', 'who', 'effort', 'priority'])
    expect(rowObject(some.rows[0]!, some.fields)).toEqual({
      id: 'c',
      who: null,
      effort: '10',
      priority: null,
    })
    const all = select("SELECT * FROM x WHERE id = 'd'", tasks)
    expect(rowObject(all.rows[0]!, all.fields, true)).toEqual({
      id: 'd',
      title: 'A task',
      state: 'failed',
      completed: false,
      skipped: true,
      parent: 'c',
      section: 'TODO',
      file: 'x',
      line: 1,
      depth: 0,
      completed_at: '2025-10-04',
      effort: 'much',
    })
  })

  it('notes a field that no task has', () => {
    expect(select("SELECT * FROM x WHERE priorty = 'A'", tasks).notes).toEqual([
      'No task has a field priorty. Did you mean priority?',
    ])
  })

  it('matches patterns without exponential time', () => {
    const long = taskOf({ id: 'l', title: 'a'.repeat(50_000) })
    const pattern = '%a'.repeat(400)
    expect(select(`SELECT * FROM x WHERE title LIKE '${pattern}b'`, [long]).rows).toEqual([])
    expect(select(`SELECT * FROM x WHERE title LIKE '${pattern}'`, [long]).rows).toHaveLength(1)
  })
})

/** A condition as text, and its expected value: 1 is true, 0 false, ½ unknown. */
interface Sample {
  readonly text: string
  readonly value: (task: TaskItem) => number
}

const alphabet = ['a', 'b', 'A', '%', '_', '1', '10', '9', '-2', 'true', "it's", '\\', 'é', '2025-10-04']
const word = fc.constantFrom(...alphabet)
const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '))
const maybe = fc.option(phrase, { nil: undefined })
const names = fc.array(word, { maxLength: 3 })
const someTask: fc.Arbitrary<TaskItem> = fc
  .record({
    id: maybe,
    title: phrase,
    priority: fc.constantFrom(undefined, 'A', 'B'),
    state: fc.constantFrom<TaskState>('open', 'running', 'done', 'skipped', 'failed'),
    who: names,
    dependsOn: names,
    field: maybe,
    line: fc.integer({ min: 1, max: 12 }),
  })
  .map(({ field, ...task }) =>
    taskOf({ ...task, fields: new Map(field === undefined ? [] : [['x', field]]) }),
  )

const fields = [
  'id',
  'title',
  'priority',
  'completed',
  'skipped',
  'x',
  'missing',
  'who',
  'depends_on',
  'line',
] as const
type Field = (typeof fields)[number]

/** Every value as a list of texts. Null is an empty list. */
function members(field: Field, task: TaskItem): string[] {
  const all: { readonly [field in Field]: readonly (string | undefined)[] } = {
    id: [task.id],
    title: [task.title],
    priority: [task.priority],
    completed: [String(task.state === 'done')],
    skipped: [String(['skipped', 'failed'].includes(task.state))],
    x: [task.fields.get('x')],
    missing: [],
    who: task.who,
    depends_on: task.dependsOn,
    line: [String(task.line)],
  }
  return all[field].filter((value) => value !== undefined)
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
const isNumber = (text: string) => /^[+-]?\d+(\.\d+)?$/.test(text)
const half = 0.5

function sampleOf(field: Field, text: string, holds: (member: string) => boolean): Sample {
  return {
    text: `${field} ${text}`,
    value(task) {
      const all = members(field, task)
      return all.length === 0 ? half : Number(all.some(holds))
    },
  }
}

const field = fc.constantFrom(...fields)
const textEqual = fc
  .tuple(field, phrase)
  .map(([name, text]) => sampleOf(name, `= ${quoted(text)}`, (one) => one === text))
const numberEqual = fc
  .tuple(field, fc.integer({ min: -3, max: 11 }))
  .map(([name, number]) => sampleOf(name, `= ${number}`, (one) => isNumber(one) && Number(one) === number))
const unequal = fc.tuple(field, phrase).map(([name, text]): Sample => {
  const equal = sampleOf(name, '', (one) => one === text)
  return { text: `${name} <> ${quoted(text)}`, value: (task) => 1 - equal.value(task) }
})
const isIn = fc
  .tuple(field, fc.array(phrase, { minLength: 1, maxLength: 3 }))
  .map(([name, list]) => sampleOf(name, `IN (${list.map(quoted).join(', ')})`, (one) => list.includes(one)))
const like = fc.tuple(field, phrase).map(([name, pattern]) => {
  const source = pattern.replace(/\\([%_\\])|[\s\S]/g, (sign, escaped) => {
    const plain = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    return escaped ? plain(escaped) : sign === '%' ? '[^]*' : sign === '_' ? '[^]' : plain(sign)
  })
  const regex = new RegExp(`^${source}$`, 'iu')
  return sampleOf(name, `LIKE ${quoted(pattern)}`, (one) => regex.test(one))
})
const contains = fc.tuple(field, phrase).map(([name, text]) => {
  const isList = name === 'who' || name === 'depends_on'
  return sampleOf(name, `CONTAINS ${quoted(text)}`, (one) => (isList ? one === text : one.includes(text)))
})
const isNull = field.map(
  (name): Sample => ({ text: `${name} IS NULL`, value: (task) => Number(members(name, task).length === 0) }),
)
const ordered = fc
  .tuple(
    fc.constantFrom<Field>('id', 'title', 'priority', 'x', 'missing', 'line'),
    fc.constantFrom('<', '>', '<=', '>='),
    fc.oneof(phrase, fc.integer({ min: -3, max: 11 })),
  )
  .map(([name, operator, than]): Sample => {
    const holds = (a: string | number, b: string | number) =>
      operator === '<' ? a < b : operator === '>' ? a > b : operator === '<=' ? a <= b : a >= b
    return {
      text: `${name} ${operator} ${typeof than === 'number' ? than : quoted(than)}`,
      value(task) {
        const [one] = members(name, task)
        if (one === undefined) return half
        if (typeof than === 'string') return Number(holds(one, than))
        return isNumber(one) ? Number(holds(Number(one), than)) : half
      },
    }
  })

const { condition } = fc.letrec<{ condition: Sample; leaf: Sample }>((tie) => ({
  leaf: fc.oneof(textEqual, numberEqual, unequal, isIn, like, contains, isNull, ordered),
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    tie('condition').map((of) => ({
      text: `NOT (${of.text})`,
      value: (task: TaskItem) => 1 - of.value(task),
    })),
    fc.array(tie('condition'), { minLength: 2, maxLength: 4 }).map((of) => ({
      text: of.map(({ text }) => `(${text})`).join(' AND '),
      value: (task: TaskItem) => Math.min(...of.map((one) => one.value(task))),
    })),
    fc.array(tie('condition'), { minLength: 2, maxLength: 4 }).map((of) => ({
      text: of.map(({ text }) => `(${text})`).join(' or '),
      value: (task: TaskItem) => Math.max(...of.map((one) => one.value(task))),
    })),
  ),
}))

describe('an answer', () => {
  it('equals that of a simple evaluation', () => {
    fc.assert(
      fc.property(
        fc.array(someTask, { maxLength: 8 }),
        condition,
        fc.integer({ min: 0, max: 9 }),
        (all, sample, limit) => {
          const found = select(`SELECT * FROM x WHERE ${sample.text} LIMIT ${limit}`, all)
          const expected = all.filter((task) => sample.value(task) === 1).slice(0, limit)
          expect(found.rows.map(({ task }) => task)).toEqual(expected)
        },
      ),
      { numRuns: process.env['CADRE_DEEP'] ? 2000 : 400 },
    )
  })

  it('is sorted, and stable for equal keys', () => {
    const key = fc.constantFrom('x', 'title', 'priority', 'line', 'completed')
    fc.assert(
      fc.property(
        fc.array(someTask, { maxLength: 10 }),
        fc.array(key, { minLength: 1, maxLength: 3 }),
        (all, keys) => {
          const up = select(`SELECT * FROM x ORDER BY ${keys.join(', ')}`, all).rows.map(({ task }) => task)
          expect([...up].sort((a, b) => all.indexOf(a) - all.indexOf(b))).toEqual(all)
          const [first = 'x'] = keys as Field[]
          const nulls = up.map((task) => members(first, task).length === 0)
          expect(nulls.lastIndexOf(true)).toBe(nulls.filter(Boolean).length - 1)
          const numbers = up.flatMap((task) => members(first, task).filter(isNumber).map(Number))
          expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
          const same = up.filter((task) =>
            keys.every(
              (one) => String(members(one as Field, task)) === String(members(one as Field, up[0]!)),
            ),
          )
          expect(same.map((task) => all.indexOf(task))).toEqual(
            same.map((task) => all.indexOf(task)).sort((a, b) => a - b),
          )
        },
      ),
    )
  })
})
