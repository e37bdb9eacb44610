/**
 * Changes many tasks in many files. All changes are planned and checked before the first write. Each file is then changed atomically, based
 * on its content at that moment.
 */
import { CadreError, sentenceOf } from '@cadre/core'
import type { RawText } from '@cadre/disk'
import { isApproval } from '../is-approval.ts'
import { readTaskFile } from '../read-task-file.ts'
import type { TaskItem } from '../task-item.ts'
import { type FoundProblem, matchFiles, notesAboutQuery } from './answer-select.ts'
import { editChunks } from './edit-chunks.ts'
import type { TaskRow } from './field-value.ts'
import type { ChangeableFiles } from './open-query-files.ts'
import type { DeleteQuery, UpdateQuery } from './query.ts'
import { QueryError } from './query-error.ts'
import { tasksWhere } from './select-tasks.ts'

/** An edit of the task with this id. */
type Edit = Parameters<typeof editChunks>[0]['edit']

export interface ChangedTasks {
  readonly count: number
  readonly problems: readonly FoundProblem[]
  readonly notes: readonly string[]
}

/** Applies an edit to every task that matches a condition, except approvals. */
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
        // The file was saved since, so plan again with its current content.
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
    notes: [...notesAboutQuery(query, names, rows), ...spared],
  }
}

interface FilePlan {
  readonly file: string
  readonly rows: readonly TaskRow[]
  readonly problems: readonly FoundProblem[]
  readonly before: RawText
  /** Absent if nothing changes. */
  readonly after: RawText | undefined
  readonly count: number
  /** Approvals that match the condition, which are not changed. */
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

/** Removes tasks whose ancestor is selected too, because they are removed with it. */
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
