import type { TaskChange, TaskItem } from '@cadre/api'
import { recordRequesters } from '@cadre/home'
import type { TaskChange as Change, TaskEditResult, TaskState } from '@cadre/tasks'
import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../guard/caller.ts'
import { starterOf } from '../guard/voter-of.ts'
import { HttpProblem } from '../problem.ts'
import { requireMatch } from '../require-match.ts'
import { taskFilesOf } from './task-files-of.ts'
import { etagOfTaskFile } from './task-items.ts'

/** Changes a task if its file still has this ETag. Returns the task's id, which is new if the task had none. */
export async function changedTask(
  context: ApiContext,
  item: TaskItem,
  change: TaskChange,
  ifMatch: string,
  caller: Caller,
): Promise<string> {
  if (Object.keys(change).length === 0)
    throw new HttpProblem(400, 'Send at least one of state, priority, title and agent.', { code: 'usage' })
  return editUnchanged(context, item, ifMatch, (id, isUnchanged) => {
    // Before the daemon can see the change and tell the session.
    recordRequesters(context.home, 'task', id, [starterOf(caller)])
    return taskFilesOf(context).change(item.file, id, changeOf(change), isUnchanged)
  })
}

/** Removes a task and its subtasks if its file still has this ETag. Returns the number of removed tasks. */
export async function removedTask(context: ApiContext, item: TaskItem, ifMatch: string): Promise<number> {
  const files = taskFilesOf(context)
  const before = files.read(item.file).tasks.length
  await editUnchanged(context, item, ifMatch, (id, isUnchanged) => files.remove(item.file, id, isUnchanged))
  return before - files.read(item.file).tasks.length
}

/**
 * Edits the file if it has this ETag. `edit` calls `isUnchanged` while it holds the task file lock, and again if someone saves the file in the
 * meantime, so that no change is lost.
 */
async function editUnchanged(
  context: ApiContext,
  item: TaskItem,
  ifMatch: string,
  edit: (id: string, isUnchanged: () => boolean) => Promise<TaskEditResult>,
): Promise<string> {
  const current = () => etagOfTaskFile(context, item.file)
  requireMatch(ifMatch, current())
  const id = await idOf(context, item)
  // A new id has changed the file.
  const wanted = id === item.id ? ifMatch : current()
  let found = wanted
  const result = await edit(id, () => {
    found = current()
    return found === wanted
  })
  requireMatch(wanted, found)
  if (result.kind === 'refused') throw new HttpProblem(409, result.reason)
  if (result.kind === 'missing')
    throw new HttpProblem(404, `There is no task ${JSON.stringify(id)}.`, { code: 'not_found' })
  return id
}

/** The task's id. If the task has none, adds one below its line. */
async function idOf(context: ApiContext, { id, file, line }: TaskItem): Promise<string> {
  if (id !== `${file}:${line}`) return id
  const [made] = await taskFilesOf(context).ensureIds(file, (task) => task.line === line)
  if (made !== undefined) return made
  throw new HttpProblem(409, 'The task has changed. Reload it, and repeat your change.')
}

function changeOf({ state, priority, title, agent }: TaskChange): Change {
  return {
    ...(state !== undefined && { state: state as TaskState }),
    ...(title !== undefined && { title }),
    ...(priority !== undefined && { priority: priority === '' ? null : priority }),
    ...(agent !== undefined && { who: agent === '' ? [] : [agent] }),
  }
}
