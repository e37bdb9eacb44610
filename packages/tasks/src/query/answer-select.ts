import { CadreError, nearest } from '@cadre/core'
import type { TaskFile, TaskProblem } from '../task-item.ts'
import {
  builtInFields,
  builtInNames,
  type FieldValue,
  fieldReader,
  plainName,
  type TaskRow,
  writtenFieldNames,
} from './field-value.ts'
import type { Condition, FieldName, FileName, Query, SelectQuery } from './query.ts'
import { QueryError } from './query-error.ts'
import { selectTasks } from './select-tasks.ts'

/** The task files that queries read. */
export interface QueryFiles {
  /**
   * Returns the display names of the files that match a name or pattern. Throws a `CadreError` for a file that is missing or may not be
   * used; a pattern may match none.
   */
  match(name: string): readonly string[]
  read(file: string): TaskFile
}

export interface FoundProblem extends TaskProblem {
  readonly file: string
}

/** The files that were searched, and their problems. A broken task does not hide others. */
export interface SearchedFiles {
  readonly rows: readonly TaskRow[]
  readonly problems: readonly FoundProblem[]
  /** Notes about the query, one sentence each. */
  readonly notes: readonly string[]
}

export interface SelectResult extends SearchedFiles {
  /** The selected fields. `*` means all fields that any row has. */
  readonly fields: readonly string[]
}

export function answerSelect(query: SelectQuery, files: QueryFiles): SelectResult {
  const looked = readAllTasks(query, files)
  const rows = selectTasks(looked.rows, query)
  return {
    ...looked,
    rows,
    fields: query.fields === '*' ? everyField(rows) : query.fields.map(({ name }) => plainName(name)),
  }
}

/** Reads all tasks of the files of a query. */
function readAllTasks(query: Query, files: QueryFiles): SearchedFiles {
  const names = matchFiles(query, query.file, files)
  const rows: TaskRow[] = []
  const problems: FoundProblem[] = []
  for (const file of names) {
    const found = files.read(file)
    for (const task of found.tasks) rows.push({ file, task })
    for (const problem of found.problems) problems.push({ ...problem, file })
  }
  return { rows, problems, notes: notesAboutQuery(query, names, rows) }
}

/** Notes for the user about a query and its result. */
export function notesAboutQuery(query: Query, files: readonly string[], rows: readonly TaskRow[]): string[] {
  const none = files.length === 0 ? [`No file matches ${query.file.name}.`] : []
  return [...none, ...unknownFields(query, rows)]
}

/** Reports an invalid file name at its position in the query, like other errors. */
export function matchFiles(
  { text }: Query,
  { name, at }: FileName,
  files: Pick<QueryFiles, 'match'>,
): readonly string[] {
  try {
    return files.match(name)
  } catch (error) {
    if (error instanceof CadreError && error.code === 'usage') throw new QueryError(text, at, error.message)
    throw error
  }
}

/** Returns a row as an object, with null for missing values. With `*`, omits missing fields. */
export function rowObject(
  row: TaskRow,
  fields: readonly string[],
  matchesAnything = false,
): { readonly [field: string]: FieldValue } {
  const values = fields.map((name) => [name, fieldReader(name)(row)] as const)
  return Object.fromEntries(matchesAnything ? values.filter(([, value]) => value !== null) : values)
}

function everyField(rows: readonly TaskRow[]): string[] {
  const written = new Set<string>()
  for (const { task } of rows) for (const name of writtenFieldNames(task)) written.add(name)
  return [...builtInNames, ...written]
}

/** Fields that no task has are probably misspelt, which explains an empty result. */
function unknownFields(query: Query, rows: readonly TaskRow[]): string[] {
  const asked = new Map(namedFields(query).map((field) => [plainName(field.name), field]))
  const known = new Set(builtInFields)
  const strange = [...asked.keys()].filter((name) => !known.has(name))
  if (strange.length === 0 || rows.length === 0) return []
  for (const { task } of rows) for (const key of task.fields.keys()) known.add(key)
  return strange
    .filter((name) => !known.has(name))
    .map((name) => {
      const [meant] = nearest(name, known, 1)
      return `No task has a field ${name}${meant === undefined ? '.' : `. Did you mean ${meant}?`}`
    })
}

function namedFields(query: Query): FieldName[] {
  const where = query.kind === 'insert' || query.where === undefined ? [] : conditionFields(query.where)
  if (query.kind !== 'select') return where
  return [...(query.fields === '*' ? [] : query.fields), ...where, ...query.order.map(({ field }) => field)]
}

function conditionFields(condition: Condition): FieldName[] {
  if ('field' in condition) return [condition.field]
  return condition.kind === 'not' ? conditionFields(condition.of) : condition.of.flatMap(conditionFields)
}
