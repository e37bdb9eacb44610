import type { TaskItem } from '@cadre/api'
import { hasCode, readRegularFile } from '@cadre/disk'
import { isApprovalType, type TaskItem as Task } from '@cadre/tasks'
import type { ApiContext } from '../api-context.ts'
import { etagOf } from '../send-answer.ts'
import { taskFilesOf } from './task-files-of.ts'

export interface TaskInFile {
  /** The file's name in the tasks folder. */
  readonly file: string
  readonly task: Task
}

/** All tasks in the home, in file order. */
export function readTaskItems(context: ApiContext): TaskItem[] {
  return taskItemsOf(context, tasksInFiles(context))
}

/** These tasks, with the tasks that block them. */
export function taskItemsOf(context: ApiContext, tasks: readonly TaskInFile[]): TaskItem[] {
  const done = new Set<string>()
  const etags = new Map<string, string>()
  for (const { task } of tasksInFiles(context))
    if (task.id !== undefined && task.state === 'done') done.add(task.id)
  return tasks.map(({ file, task }) => {
    const etag = etags.get(file) ?? etagOfTaskFile(context, file)
    etags.set(file, etag)
    return itemOf({ file, task }, { done, etag, context })
  })
}

/** The ETag of a task file's bytes. */
export function etagOfTaskFile({ home }: Pick<ApiContext, 'home'>, file: string): string {
  try {
    return etagOf(readRegularFile(home.at('tasks', file)))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return etagOf('')
    throw error
  }
}

/** Until a task without an id is changed, its position in the file identifies it. */
function taskNameOf({ file, task }: TaskInFile): string {
  return task.id ?? `${file}:${task.line}`
}

function tasksInFiles(context: ApiContext): TaskInFile[] {
  const files = taskFilesOf(context)
  return files.list().flatMap((file) =>
    files
      .read(file)
      .tasks.filter((task) => !isApprovalType(task.fields.get('type')))
      .map((task) => ({ file, task })),
  )
}

interface ItemFacts {
  readonly done: ReadonlySet<string>
  readonly etag: string
  readonly context: ApiContext
}

const markers = { open: ' ', running: '~', done: 'x', failed: '-', skipped: '-' } as const

function itemOf(placed: TaskInFile, { done, etag, context }: ItemFacts): TaskItem {
  const { file, task } = placed
  const { line, title, state, who, priority, dependsOn, fields } = task
  const session = fields.get('session')
  const [agent] = who
  const isWaiting = state === 'running' && session !== undefined && waits(context, session)
  const isEnded = state === 'done' || state === 'skipped' || state === 'failed'
  return {
    id: taskNameOf(placed),
    file,
    line,
    title,
    state: isWaiting ? 'waiting' : state,
    marker: markers[state],
    ...(agent !== undefined && { agent }),
    ...(priority !== undefined && { priority }),
    dependencies: dependsOn,
    blockedBy: isEnded ? [] : dependsOn.filter((id) => !done.has(id)),
    ...(session !== undefined && { session }),
    fields: Object.fromEntries(fields),
    etag,
  }
}

function waits({ index }: ApiContext, session: string): boolean {
  return (index.row(session)?.subtree.waiting ?? 0) > 0
}
