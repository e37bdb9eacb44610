import { createHash, randomBytes } from 'node:crypto'
import type { NewTask } from '@cadre/api'
import { recordRequesters } from '@cadre/home'
import type { RouteContext } from '../api-context.ts'
import type { Caller } from '../guard/caller.ts'
import { starterOf } from '../guard/voter-of.ts'
import { HttpProblem } from '../problem.ts'
import { runInOrder } from './run-in-order.ts'
import { requireOperate } from './start-once.ts'
import { taskFilesOf } from './task-files-of.ts'

const defaultFile = 'todo.task.md'

/** Adds a task once per key. Returns its id. */
export function addTaskOnce(
  context: RouteContext,
  task: NewTask,
  caller: Caller,
  key: string | undefined,
): Promise<string> {
  if (key === undefined) return add(context, task, caller, undefined)
  const id = idOf(caller.by, key)
  return runInOrder([context.home.path, 'task', id], () => add(context, task, caller, id))
}

async function add(
  context: RouteContext,
  { title, file = defaultFile, agent, priority, dependencies = [] }: NewTask,
  caller: Caller,
  id: string | undefined,
): Promise<string> {
  const files = taskFilesOf(context)
  const known = id === undefined ? undefined : files.find(id)
  if (known !== undefined && id !== undefined) {
    if (known.file === file && known.task.title === title.trim()) return id
    throw new HttpProblem(409, 'This Idempotency-Key was used for another task. Send another key.', {
      code: 'usage',
    })
  }
  const unknown = dependencies.find((one) => files.find(one) === undefined)
  if (unknown !== undefined)
    throw new HttpProblem(400, `There is no task ${JSON.stringify(unknown)} to depend on.`, { code: 'usage' })
  const { by } = caller
  const chosen = id ?? `task-${randomBytes(6).toString('hex')}`
  // Before the daemon can see the task and start it.
  recordRequesters(context.home, 'task', chosen, [starterOf(caller)])
  const made = await files.add(file, {
    title,
    id: chosen,
    ...(priority && { priority }),
    ...(agent && { who: [agent] }),
    fields: {
      ...(dependencies.length > 0 && { depends_on: dependencies.join(', ') }),
    },
  })
  requireOperate(context).daemon.note({
    type: 'task.added',
    message: `${by} added ${made.id} to tasks/${file}.`,
    task: made.id,
    by,
  })
  return made.id
}

/** The same person and the same key always give the same id. */
function idOf(by: string, key: string): string {
  return `task-${createHash('sha256').update(`${by}\0${key}`).digest('hex').slice(0, 12)}`
}
