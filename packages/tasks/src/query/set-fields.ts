import { didYouMean } from '@cadre/core'
import { isApprovalType } from '../is-approval.ts'
import type { NewTask, TaskChange, TaskState } from '../task-item.ts'
import { fieldKind, plainName } from './field-value.ts'
import type { Assignment, InsertQuery, Literal, UpdateQuery } from './query.ts'
import { QueryError } from './query-error.ts'

const states: readonly TaskState[] = ['open', 'running', 'done', 'skipped', 'failed']
/** Fields that describe the position of a task. They cannot be set. */
const positionFields = new Set(['file', 'line', 'depth', 'section'])

/** Converts `SET` to a change. Throws a `QueryError` for a field that cannot be set. */
export function taskChangeOf({ text, set }: UpdateQuery): TaskChange {
  const fixed = set.find(({ field }) => ['id', 'parent'].includes(plainName(field.name)))
  if (fixed !== undefined) {
    const why =
      plainName(fixed.field.name) === 'id'
        ? 'other tasks refer to this id'
        : "this field names the task's parent"
    throw new QueryError(text, fixed.field.at, `Cannot set ${fixed.field.name}: ${why}.`)
  }
  return readSet(text, set)
}

/** The task that `INSERT` creates. */
export function newTaskFrom({ text, file, set }: InsertQuery): NewTask {
  const own = new Map(set.map((assignment) => [plainName(assignment.field.name), assignment]))
  const rest = set.filter(({ field }) => !['id', 'parent'].includes(plainName(field.name)))
  const { fields = {}, title, priority, ...change } = readSet(text, rest)
  if (title === undefined)
    throw new QueryError(text, set[0]?.field.at ?? file.at, "A new task needs a title: SET title = '…'.")
  const named = (name: string) => {
    const assignment = own.get(name)
    return assignment === undefined ? undefined : oneLine(text, assignment)
  }
  const id = named('id')
  const parent = named('parent')
  const written = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null)
  return {
    ...change,
    title,
    ...(priority && { priority }),
    ...(written.length > 0 && { fields: Object.fromEntries(written) }),
    ...(id !== undefined && { id }),
    ...(parent !== undefined && { parent }),
  }
}

function readSet(query: string, set: readonly Assignment[]): TaskChange {
  const fail = (at: number, sentence: string): never => {
    throw new QueryError(query, at, sentence)
  }
  const change: { -readonly [key in keyof TaskChange]: TaskChange[key] } = {}
  const fields: Record<string, string | null> = {}
  let possible: readonly TaskState[] = ['open', 'done', 'skipped', 'failed', 'running']
  for (const assignment of set) {
    const { field, value, at } = assignment
    const name = plainName(field.name)
    if (positionFields.has(name)) fail(field.at, `Cannot set ${field.name}: it is the task's position.`)
    if (name === 'title') change.title = oneLine(query, assignment)
    else if (name === 'priority') change.priority = value === null ? null : priorityOf(query, assignment)
    else if (name === 'who' || name === 'stakeholders') change.who = namesOf(query, assignment, '@')
    else if (name === 'tags') change.tags = namesOf(query, assignment, '#')
    else if (name === 'state' || fieldKind(name) === 'boolean') {
      possible = possible.filter((state) => statesOf(query, assignment).includes(state))
      if (possible.length === 0) fail(field.at, `${field.name} conflicts with an earlier SET.`)
      change.state = possible[0] as TaskState
    } else {
      const key = name === 'completed_at' ? 'completed' : name
      if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key))
        fail(field.at, `${JSON.stringify(key)} is not a valid field name.`)
      if (key === 'type' && isLiteral(value) && isApprovalType(value.text))
        fail(at, 'Queries cannot create approvals. Cadre creates them itself.')
      fields[key] =
        value === null ? null : isLiteral(value) ? value.text : value.map(({ text }) => text).join(', ')
    }
  }
  return Object.keys(fields).length > 0 ? { ...change, fields } : change
}

function isLiteral(value: Assignment['value']): value is Literal {
  return value !== null && 'kind' in value
}

function oneLine(query: string, { field, value, at }: Assignment): string {
  const text = isLiteral(value) ? value.text.trim() : ''
  if (text === '' || /[\r\n]/.test(text))
    throw new QueryError(query, at, `${field.name} must be one non-empty line of text.`)
  return text
}

function priorityOf(query: string, { value, at }: Assignment): string {
  const text = isLiteral(value) ? value.text : ''
  if (!/^[A-Za-z]$/.test(text)) throw new QueryError(query, at, 'priority must be one letter, A to Z.')
  return text.toUpperCase()
}

/** `('ann', 'ben')`, or `'ann, ben'`. */
function namesOf(query: string, { field, value, at }: Assignment, sign: '@' | '#'): string[] {
  if (value === null) return []
  const written = isLiteral(value) ? value.text.split(/[\s,]+/) : value.map(({ text }) => text)
  const names = written
    .filter((name) => name !== '')
    .map((name) => (name.startsWith(sign) ? name.slice(1) : name))
  const wrong = names.find((name) => !/^[\p{L}\p{N}_][\p{L}\p{N}_.:/-]*$/u.test(name))
  if (wrong !== undefined)
    throw new QueryError(
      query,
      at,
      `${JSON.stringify(wrong)} is not a valid value for ${field.name}. Use only letters, digits and . _ - : /`,
    )
  return names
}

/** All states with this value, the most likely first. */
function statesOf(query: string, { field, value, at }: Assignment): readonly TaskState[] {
  const text = isLiteral(value) ? value.text : ''
  const name = plainName(field.name)
  if (name === 'state') {
    const state = states.find((one) => one === text)
    if (state !== undefined) return [state]
    throw new QueryError(
      query,
      at,
      `state must be one of ${states.join(', ')}${didYouMean(text, states) || '.'}`,
    )
  }
  if (text !== 'true' && text !== 'false')
    throw new QueryError(query, at, `${field.name} must be TRUE or FALSE.`)
  const inIt: readonly TaskState[] = name === 'completed' ? ['done'] : ['skipped', 'failed']
  return text === 'true' ? inIt : states.filter((state) => !inIt.includes(state))
}
