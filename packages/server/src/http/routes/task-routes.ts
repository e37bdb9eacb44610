import type { TaskItem } from '@cadre/api'
import { answerSelect, homeQueryFiles, isApproval, parseQuery, QueryError } from '@cadre/tasks'
import type { ApiContext } from '../api-context.ts'
import type { Routes } from '../http-route.ts'
import { HttpProblem } from '../problem.ts'
import {
  bodySchema,
  choiceSchema,
  countSchema,
  listSchema,
  objectSchema,
  schemaRef,
  textSchema,
} from '../schemas.ts'
import { addTaskOnce } from './add-task-once.ts'
import { changedTask, removedTask } from './change-task-if-match.ts'
import { requireOperate } from './start-once.ts'
import { taskFilesOf } from './task-files-of.ts'
import { readTaskItems, taskItemsOf } from './task-items.ts'

type Name = 'listTasks' | 'createTask' | 'changeTask' | 'deleteTask'

const title = { type: 'string', minLength: 1, maxLength: 2000 } as const
const priority = {
  type: 'string',
  pattern: '^[A-Z]?$',
  description: 'One capital letter, or empty for no priority',
} as const
const agent = {
  type: 'string',
  maxLength: 200,
  description: 'The name after @, or empty for no agent',
} as const

export const taskRoutes: Routes<Name> = {
  listTasks: {
    operation: 'listTasks',
    role: 'viewer',
    summary: 'List all tasks in file order, or the tasks that match a SELECT query',
    description:
      'The query is a SELECT statement as in "cadre tasks", for files such as tasks/*.task.md. It selects and sorts tasks; the answer always contains all fields. Approvals are not included.',
    query: { query: { type: 'string', maxLength: 5000 } },
    schema: objectSchema({ at: textSchema, items: listSchema(schemaRef('TaskItem')) }),
    answer({ query: { query } }, context) {
      const at = context.hub.at()
      const items = query === undefined ? readTaskItems(context) : selected(query, context)
      return { body: { at, items } }
    },
  },
  createTask: {
    operation: 'createTask',
    role: 'operator',
    needsDaemon: true,
    summary: 'Add a task at the end of a task file',
    description: 'Creates the file if it does not exist. The default file is todo.task.md.',
    status: 201,
    body: bodySchema({
      title,
      'file?': { type: 'string', minLength: 1, maxLength: 200 },
      'agent?': agent,
      'priority?': priority,
      'dependencies?': { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 200 } },
    }),
    schema: schemaRef('TaskItem'),
    async answer({ body: wanted, caller, idempotencyKey }, context) {
      const id = await addTaskOnce(context, wanted, caller, idempotencyKey)
      return answerWith(requireItem(context, id))
    },
  },
  changeTask: {
    operation: 'changeTask',
    role: 'operator',
    needsDaemon: true,
    summary: "Change a task's state, priority, title or agent; the rest of its file does not change",
    body: bodySchema({
      'state?': choiceSchema('open', 'running', 'done', 'failed', 'skipped'),
      'priority?': priority,
      'title?': title,
      'agent?': agent,
    }),
    schema: schemaRef('TaskItem'),
    async answer({ params: { id }, body: change, ifMatch, caller }, context) {
      const item = requireItem(context, id)
      const changed = await changedTask(context, item, change, ifMatch, caller)
      const { note } = requireOperate(context).daemon
      note({
        type: 'task.changed',
        message: `${caller.by} changed ${changed} in tasks/${item.file}.`,
        task: changed,
        by: caller.by,
      })
      return answerWith(requireItem(context, changed))
    },
  },
  deleteTask: {
    operation: 'deleteTask',
    role: 'operator',
    needsDaemon: true,
    summary: 'Delete a task and its subtasks from their file',
    schema: objectSchema({ deleted: countSchema }),
    async answer({ params: { id }, ifMatch, caller }, context) {
      const item = requireItem(context, id)
      const deleted = await removedTask(context, item, ifMatch)
      const { note } = requireOperate(context).daemon
      note({
        type: 'task.deleted',
        message: `${caller.by} deleted ${id} from tasks/${item.file}.`,
        task: id,
        by: caller.by,
      })
      return { body: { deleted } }
    },
  },
}

function answerWith(item: TaskItem) {
  return { body: item, etag: item.etag }
}

function requireItem(context: ApiContext, id: string): TaskItem {
  const item = readTaskItems(context).find((one) => one.id === id)
  if (item !== undefined) return item
  throw new HttpProblem(404, `There is no task ${JSON.stringify(id)}.`, { code: 'not_found' })
}

function selected(textSchema: string, context: ApiContext): TaskItem[] {
  try {
    const query = parseQuery(textSchema)
    if (query.kind !== 'select' || query.into !== undefined)
      throw new HttpProblem(
        400,
        'Only SELECT without INTO is allowed here, because this request only reads tasks.',
        {
          code: 'usage',
        },
      )
    const { rows } = answerSelect(query, homeQueryFiles(taskFilesOf(context)))
    const found = rows.map(({ file, task }) => ({ file: file.slice('tasks/'.length), task }))
    return taskItemsOf(
      context,
      found.filter(({ file, task }) => !isApproval(file, task)),
    )
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    throw new HttpProblem(400, `${error.sentence} (column ${error.column})`, { code: 'usage' })
  }
}
