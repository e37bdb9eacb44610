import { CadreError } from '@cadre/core'
import type { RawText } from '@cadre/disk'
import { addTask } from '../add-task.ts'
import { changeTask } from '../change-task.ts'
import { isApprovalsFile } from '../is-approval.ts'
import { newTaskId } from '../new-task-id.ts'
import { readTaskFile } from '../read-task-file.ts'
import { removeTask } from '../remove-task.ts'
import type { TaskItem } from '../task-item.ts'
import { answerSelect, type FoundProblem, type SelectResult } from './answer-select.ts'
import { changeTasks } from './change-tasks.ts'
import type { ChangeableFiles } from './open-query-files.ts'
import type { FileName, InsertQuery, Query, SelectQuery } from './query.ts'
import { QueryError } from './query-error.ts'
import { newTaskFrom, taskChangeOf } from './set-fields.ts'
import { writeTasks } from './write-tasks.ts'

interface QueryMessages {
  readonly problems: readonly FoundProblem[]
  readonly notes: readonly string[]
}

export type QueryResult =
  | (SelectResult & { readonly kind: 'select'; readonly into?: string })
  | (QueryMessages & { readonly kind: 'insert'; readonly id: string; readonly file: string })
  | (QueryMessages & { readonly kind: 'update'; readonly updated: number })
  | (QueryMessages & { readonly kind: 'delete'; readonly deleted: number })

/** Executes a query. If it throws a `QueryError` or another `CadreError`, nothing has changed. */
export async function runQuery(query: Query, files: ChangeableFiles): Promise<QueryResult> {
  switch (query.kind) {
    case 'select':
      return select(query, files)
    case 'insert':
      return insert(query, files)
    case 'update': {
      refuseApprovals(query, query.file)
      const change = taskChangeOf(query)
      const edit = (raw: RawText, id: string) => changeTask(raw, id, change)
      const { count, ...told } = await changeTasks(query, files, edit)
      return { kind: 'update', updated: count, ...told }
    }
    case 'delete': {
      refuseApprovals(query, query.file)
      const { count, ...told } = await changeTasks(query, files, removeTask)
      return { kind: 'delete', deleted: count, ...told }
    }
  }
}

async function select(query: SelectQuery, files: ChangeableFiles): Promise<QueryResult> {
  const answer = answerSelect(query, files)
  const { into } = query
  if (into === undefined) return { kind: 'select', ...answer }
  refuseApprovals(query, into)
  const text = copyOf(
    query,
    into,
    answer.rows.map(({ task }) => task),
  )
  await files.edit(placeFor(query, into, files), (raw) => {
    if (raw === undefined) return text
    throw new QueryError(
      query.text,
      into.at,
      `${into.name} already exists, and Cadre does not overwrite it. Choose another name, or remove it.`,
    )
  })
  return { kind: 'select', ...answer, into: into.name }
}

function copyOf({ text }: SelectQuery, { at }: FileName, tasks: readonly TaskItem[]): RawText {
  try {
    return writeTasks(tasks)
  } catch (error) {
    if (error instanceof CadreError) throw new QueryError(text, at, error.message)
    throw error
  }
}

async function insert(query: InsertQuery, files: ChangeableFiles): Promise<QueryResult> {
  const task = newTaskFrom(query)
  refuseApprovals(query, query.file)
  const file = placeFor(query, query.file, files)
  const fail = (sentence: string): never => {
    throw new QueryError(query.text, query.file.at, sentence)
  }
  let id = ''
  await files.edit(file, (raw) => {
    const taken = takenIds(file, raw, files)
    if (task.id !== undefined && taken.has(task.id))
      fail(`Task ${task.id} already exists in ${taken.get(task.id)}. Choose another id.`)
    id = task.id ?? newTaskId(new Set(taken.keys()))
    const edit = addTask(raw, { ...task, id })
    if (edit.kind === 'changed') return edit.raw
    return fail(edit.kind === 'refused' ? edit.reason : `Cannot add the task to ${query.file.name}.`)
  })
  return { kind: 'insert', id, file: query.file.name, problems: [], notes: [] }
}

/** The ids of a file and those beside it, with their positions. */
function takenIds(file: string, raw: RawText | undefined, files: ChangeableFiles): Map<string, string> {
  const taken = new Map<string, string>()
  for (const name of files.neighbours(file))
    for (const { id } of files.read(name).tasks) if (id !== undefined) taken.set(id, name)
  for (const { id } of readTaskFile(raw ?? '').tasks) if (id !== undefined) taken.set(id, file)
  return taken
}

function refuseApprovals({ text }: Query, { name, at }: FileName): void {
  if (isApprovalsFile(name))
    throw new QueryError(
      text,
      at,
      'Queries cannot change approvals. Decide them with "cadre approve" or "cadre reject", or in the file.',
    )
}

/** Returns the path of a file that may be created. */
function placeFor({ text }: Query, { name, at }: FileName, files: ChangeableFiles): string {
  const problem = files.objection(name)
  if (problem !== undefined) throw new QueryError(text, at, problem)
  return name
}
