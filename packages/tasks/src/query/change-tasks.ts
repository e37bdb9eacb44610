/**
 * Changes many tasks of many files. Everything is planned and checked on what the files say before the first of them is
 * written; each is then changed by itself, to what it says at that moment, and is the old one or the new one, whole.
 */
import { CadreError, sentenceOf } from '@cadre/core'
import type { RawText } from '@cadre/disk'
import { isApproval } from '../is-approval.ts'
import { readTaskFile } from '../read-task-file.ts'
import type { TaskItem } from '../task-item.ts'
import { type FoundProblem, matchFiles, notesOn } from './answer-select.ts'
import { editChunks } from './edit-chunks.ts'
import type { TaskRow } from './field-value.ts'
import type { ChangeableFiles } from './open-query-files.ts'
import type { DeleteQuery, UpdateQuery } from './query.ts'
import { QueryError } from './query-error.ts'
import { tasksWhere } from './select-tasks.ts'

/** One edit of a text: of the task with this id. */
type Edit = Parameters<typeof editChunks>[0]['edit']

export interface ChangedTasks {
  readonly count: number
  readonly problems: readonly FoundProblem[]
  readonly notes: readonly string[]
}

/** Makes one edit to every task that a condition fits, and to no approval. */
export async function changeTasks(
  query: UpdateQuery | DeleteQuery,
  files: ChangeableFiles,
  edit: Edit,
): Promise<ChangedTasks> {
  const names = matchFiles(query, query.file, files)
  const plans = names.map((file) => planFile({ query, file, raw: files.raw(file) ?? '', edit }))
  const left = plans.reduce((sum, { approvals }) => sum + approvals, 0)
  const meant = plans.filter(({ count }) => count > 0)
  if (left > 0 && meant.length === 0)
    throw new QueryError(
      query.text,
      query.file.at,
      'Queries cannot change approvals. Decide them with "cadre approve" or "cadre reject".',
    )
  let count = 0
  const written: string[] = []
  for (const planned of meant) {
    const { file } = planned
    let plan: FilePlan = planned
    try {
      await files.edit(file, (raw = '') => {
        // Somebody has saved the file since: then it counts what it says now.
        if (raw !== plan.before) plan = planFile({ query, file, raw, edit })
        return plan.after
      })
    } catch (error) {
      if (written.length === 0) throw error
      const message = `${sentenceOf(error)} Already changed: ${written.join(', ')}.`
      throw new CadreError('usage', message, { cause: error })
    }
    written.push(file)
    count += plan.count
  }
  const approvals = left === 1 ? 'approval was not changed' : 'approvals were not changed'
  const spared = left === 0 ? [] : [`${left} ${approvals}: queries cannot change approvals.`]
  const rows = plans.flatMap(({ rows }) => rows)
  return {
    count,
    problems: plans.flatMap(({ problems }) => problems),
    notes: [...notesOn(query, names, rows), ...spared],
  }
}

interface FilePlan {
  readonly file: string
  readonly rows: readonly TaskRow[]
  readonly problems: readonly FoundProblem[]
  readonly before: RawText
  /** Nothing when it stays as it is. */
  readonly after: RawText | undefined
  readonly count: number
  /** Tasks that the condition fits and nobody changes. */
  readonly approvals: number
}

interface PlanRequest {
  readonly query: UpdateQuery | DeleteQuery
  readonly file: string
  readonly raw: RawText
  readonly edit: Edit
}

function planFile({ query, file, raw, edit }: PlanRequest): FilePlan {
  const { tasks, problems } = readTaskFile(raw)
  const rows = tasks.map((task) => ({ file, task }))
  const found = tasksWhere(rows, query.where).map(({ task }) => task)
  const wanted = found.filter((task) => !isApproval(file, task))
  const plan = {
    file,
    rows,
    problems: problems.map((problem) => ({ ...problem, file })),
    before: raw,
    count: wanted.length,
    approvals: found.length - wanted.length,
  }
  if (wanted.length === 0) return { ...plan, after: undefined }
  const fail = (sentence: string): never => {
    throw new QueryError(query.text, query.file.at, sentence)
  }
  const nameless = wanted.find(({ id }) => id === undefined)
  if (nameless !== undefined)
    fail(`${file}:${nameless.line}: The task has no id. Give it one, or add AND id IS NOT NULL.`)
  const targets = query.kind === 'delete' ? topmost(tasks, new Set(wanted), fail) : new Set(wanted)
  try {
    return { ...plan, after: editChunks({ raw, tasks, targets, edit }) }
  } catch (error) {
    if (!(error instanceof CadreError)) throw error
    return fail(`${file}: ${error.message}`)
  }
}

/** Those below which everything is meant as well; what stands below another one goes with it. */
function topmost(
  tasks: readonly TaskItem[],
  wanted: ReadonlySet<TaskItem>,
  fail: (sentence: string) => never,
): Set<TaskItem> {
  const above: TaskItem[] = []
  const tops = new Set<TaskItem>()
  for (const task of tasks) {
    above.length = Math.min(above.length, task.depth)
    const upper = above.find((one) => wanted.has(one))
    if (upper === undefined && wanted.has(task)) tops.add(task)
    if (upper !== undefined && !wanted.has(task))
      fail(
        `Cannot delete ${upper.id}: the query does not match its subtask ${task.id ?? `on line ${task.line}`}.`,
      )
    above.push(task)
  }
  return tops
}
