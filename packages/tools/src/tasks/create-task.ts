import {
  boolean,
  CadreError,
  type Infer,
  object,
  optional,
  string,
  type Tool,
  type ToolContext,
} from '@cadre/core'
import { isApproval, type NewTask, type TaskItem } from '@cadre/tasks'
import { builtIn, type ToolImplementation, withoutArguments } from '../built-in.ts'
import { Refusal } from '../refusal.ts'
import { draftsOf } from './task-drafts.ts'
import { callKey, fieldValues, nameList, taskFileForAgent, taskFileName } from './task-names.ts'
import type { TaskPort } from './task-port.ts'

const input = object({
  title: optional(string('The task, in one line', { max: 500 })),
  file: optional(string('Task file, for example tasks/redis-check.task.md; default: your own')),
  content: optional(
    string(
      'Instead of a title: one or several tasks in task file format, nested by two spaces: - [ ] A @agent #tag "Title", with fields such as depends_on: below',
      { max: 100_000 },
    ),
  ),
  priority: optional(string('A letter; A is the highest')),
  who: optional(nameList('Agents (or people) to assign')),
  tags: optional(nameList('Tags')),
  description: optional(string('Everything the assignee has to know', { max: 50_000 })),
  parent: optional(string('Id of the parent task')),
  depends_on: optional(nameList('Ids of tasks that must be done first')),
  approval_required: optional(boolean('If true, every change that this task makes needs an approval')),
  id: optional(string('The id of the new task; default: a generated id')),
  fields: optional(fieldValues('More fields, by name')),
})

export type CreateTaskInput = Infer<typeof input>

/** `attended`: returns whether a daemon runs tasks now. */
export function createTaskTool(tasks: () => TaskPort, attended?: () => boolean): Tool {
  return builtIn<CreateTaskInput>({
    name: 'create_task',
    description:
      'Create a task in a task file. Returns its id, and whether a daemon is running. If who names an agent, a running daemon starts the task when its dependencies are done.',
    class: 'task',
    effect: 'write',
    argumentAliases: {
      assignee: 'who',
      assignees: 'who',
      stakeholders: 'who',
      assigned_to: 'who',
      agent: 'who',
      owner: 'who',
      subject: 'title',
      dependsOn: 'depends_on',
      dependencies: 'depends_on',
      approvalRequired: 'approval_required',
      tag: 'tags',
      metadata: 'fields',
    },
    reshape: (given) => withoutArguments(given, ['activeForm']),
    input,
    load: () => createTask({ tasks: tasks(), attended }),
  })
}

export interface TaskCreation {
  readonly tasks: TaskPort
  /** Returns whether a daemon runs tasks now; not mentioned if unknown. */
  readonly attended?: (() => boolean) | undefined
  readonly now?: () => Date
}

/** Limits sessions of tasks that keep creating tasks for each other. */
const maxDepth = 8

/**
 * Adds tasks once per call: a task contains the key of the call that created it, so that a call repeated after a crash
 * finds its tasks and adds only the missing ones.
 */
function createTask({
  tasks,
  attended,
  now = () => new Date(),
}: TaskCreation): ToolImplementation<CreateTaskInput> {
  return {
    async run(input, context) {
      const drafts = draftsOf(input)
      const file = fileFor(tasks, input, context)
      const key = callKey(context.key)
      const made = tasksCreatedBy(tasks, key)
      // Tasks from before a crash are only reported again.
      if (made.size === 0) refuseTooDeep(tasks, context.session)
      const known = new Map(
        allTasks(tasks).flatMap(({ file, task }) => (task.id === undefined ? [] : [[task.id, file]])),
      )
      for (const { task } of drafts.filter((_, at) => !made.has(keyAt(key, at))))
        if (task.id !== undefined && known.has(task.id))
          throw new Refusal(
            `Task ${task.id} already exists in tasks/${known.get(task.id)}. Choose another id, or omit it.`,
          )
      const ids: string[] = []
      const added: string[] = []
      try {
        for (const [at, { task, below }] of drafts.entries()) {
          const parent = below === undefined ? input.parent : ids[below]
          const before = made.get(keyAt(key, at))
          const whole = withSignature(task, { key: keyAt(key, at), parent, context, now: now() })
          const id = before ?? (await tasks.add(file, whole)).id
          if (before === undefined) added.push(id)
          ids.push(id)
        }
      } catch (error) {
        if (!(error instanceof CadreError)) throw error
        // All or none: the model is told what to fix and sends all of them again.
        for (const id of added.reverse()) await tasks.remove(file, id)
        throw new Refusal(error.message)
      }
      const strange = drafts
        .flatMap(({ task }) => dependenciesOf(task))
        .filter((id) => !known.has(id) && !ids.includes(id))
      const answer = {
        success: true,
        ...(ids.length === 1 && { task_id: ids[0] }),
        task_ids: ids,
        file: `tasks/${file}`,
        ...(strange.length > 0 && {
          note: `There is no task ${strange.join(', ')} yet. Tasks that depend on it stay open.`,
        }),
        ...(attended && drafts.some(({ task }) => task.who?.length) && { next: describeNext(attended()) }),
      }
      return { content: JSON.stringify(answer) }
    },
    // When repeated, the call finds its tasks and can report their ids, which this check could not.
    check: async () => 'not_done',
  }
}

/** Tells the agent that created tasks what happens next, so that each is assigned only once. */
function describeNext(isAttended: boolean): string {
  return isAttended
    ? 'A daemon is running for this home directory. It starts each task assigned to an agent as soon as its dependencies are done: do not delegate these tasks yourself. End your turn when all tasks are created. Cadre sends you the results when they have ended.'
    : 'No daemon is running for this home directory, so these tasks do not start by themselves. Delegate them yourself, and update their state with update_task.'
}

function refuseTooDeep(tasks: TaskPort, session: string): void {
  const creators = new Map(
    allTasks(tasks).flatMap(({ task: { fields } }) => {
      const [own, by] = [fields.get('session'), fields.get('created_by')]
      return own && by ? [[own, by] as const] : []
    }),
  )
  let depth = 0
  for (let by = creators.get(session); by !== undefined && depth < maxDepth; by = creators.get(by)) depth++
  if (depth >= maxDepth)
    throw new Refusal(
      `Limit reached: this task is the last in a chain of ${maxDepth} tasks that created each other. Put the remaining work in your report, for a person to read.`,
    )
}

interface Signature {
  readonly key: string
  readonly parent: string | undefined
  readonly context: ToolContext
  readonly now: Date
}

function withSignature(task: NewTask, { key, parent, context, now }: Signature): NewTask {
  const { description, ...fields } = task.fields ?? {}
  return {
    ...task,
    ...(parent !== undefined && { parent }),
    fields: {
      ...fields,
      created: now.toISOString(),
      created_by: context.session,
      key,
      // A block comes after everything else.
      ...(description !== undefined && { description }),
    },
  }
}

function fileFor(tasks: TaskPort, { file, parent }: CreateTaskInput, { agent }: ToolContext): string {
  const named = file === undefined ? undefined : taskFileName(file)
  if (parent === undefined) return named ?? taskFileForAgent(agent)
  const found = allTasks(tasks).find(({ task }) => task.id === parent)
  if (found === undefined)
    throw new Refusal(`There is no parent task ${parent}. List tasks with query_tasks.`)
  if (isApproval(found.file, found.task)) throw new Refusal('An approval cannot have subtasks.')
  if (named !== undefined && named !== found.file)
    throw new Refusal(
      `${parent} is in tasks/${found.file}. Its subtasks must be in the same file, so omit file.`,
    )
  return found.file
}

function allTasks(tasks: TaskPort): { readonly file: string; readonly task: TaskItem }[] {
  return tasks.list().flatMap((file) => tasks.read(file).tasks.map((task) => ({ file, task })))
}

/** The ids of tasks that a call created earlier, by their key. */
function tasksCreatedBy(tasks: TaskPort, key: string): ReadonlyMap<string, string> {
  const made = new Map<string, string>()
  for (const { task } of allTasks(tasks)) {
    const own = task.fields.get('key')
    if (own?.startsWith(key) && task.id !== undefined) made.set(own, task.id)
  }
  return made
}

function keyAt(key: string, at: number): string {
  return at === 0 ? key : `${key}-${at + 1}`
}

function dependenciesOf({ fields = {} }: NewTask): string[] {
  return (fields['depends_on'] ?? '').split(/[\s,]+/).filter((id) => id !== '')
}
