import { boolean, type Infer, object, oneOf, optional, string, type Tool } from '@cadre/core'
import { isApproval, type TaskChange, type TaskItem } from '@cadre/tasks'
import { builtIn, type ToolImplementation, withoutArguments } from '../built-in.ts'
import { Refusal } from '../refusal.ts'
import { fieldValues, nameList, rejectReservedFields } from './task-names.ts'
import type { TaskPort } from './task-port.ts'

const input = object({
  id: string('Id of the task, or its first characters', { min: 1 }),
  state: optional(oneOf(['open', 'running', 'done', 'skipped', 'failed'], 'The new state')),
  title: optional(string('A new title', { min: 1, max: 500 })),
  priority: optional(string('A letter; A is the highest')),
  who: optional(nameList('The new assignees; replaces the current ones')),
  tags: optional(nameList('The new tags; replaces the current ones')),
  description: optional(string('A new description', { max: 50_000 })),
  depends_on: optional(nameList('Ids of tasks that must be done first; replaces the current ones')),
  approval_required: optional(boolean('If true, every change that this task makes needs an approval')),
  fields: optional(fieldValues('Fields to set, by name; null removes a field')),
})

export type UpdateTaskInput = Infer<typeof input>

/** Other names for the states. */
const states: { readonly [word: string]: string } = {
  pending: 'open',
  todo: 'open',
  in_progress: 'running',
  completed: 'done',
  complete: 'done',
  cancelled: 'skipped',
  deleted: 'skipped',
}

export function updateTaskTool(tasks: () => TaskPort): Tool {
  return builtIn<UpdateTaskInput>({
    name: 'update_task',
    description:
      'Change a task in a task file: its state, title, priority, assignees or fields. Everything else stays unchanged.',
    class: 'task',
    effect: 'write',
    argumentAliases: {
      task_id: 'id',
      taskId: 'id',
      assignee: 'who',
      stakeholders: 'who',
      owner: 'who',
      subject: 'title',
      dependsOn: 'depends_on',
      metadata: 'fields',
    },
    reshape,
    input,
    load: () => updateTask(tasks()),
  })
}

function reshape(given: Record<string, unknown>): Record<string, unknown> {
  const { status, completed, ...rest } = withoutArguments(given, ['activeForm'])
  const said =
    rest['state'] ?? status ?? (typeof completed === 'boolean' ? (completed ? 'done' : 'open') : undefined)
  const state = typeof said === 'string' && Object.hasOwn(states, said) ? states[said] : said
  return { ...rest, ...(state !== undefined && { state }) }
}

/**
 * Changes one task, and records the session in it. It cannot remove controls: approvals and approval requirements stay, and
 * a later session of the task has the controls of every session that changed it.
 */
function updateTask(
  tasks: TaskPort,
  now: () => Date = () => new Date(),
): ToolImplementation<UpdateTaskInput> {
  return {
    async run(input, { session }) {
      const { file, task } = find(tasks, input.id)
      const change = withCompletionTime(changeOf(input), task, now())
      const id = task.id as string
      let result: Awaited<ReturnType<TaskPort['change']>>
      // Fields from others stay, even if they are written meanwhile.
      for (let present = task; ; present = find(tasks, id).task) {
        refuse(file, present, change, session)
        const before = signatures(present)
        if (isUpToDate(present, change)) {
          result = { kind: 'same' }
          break
        }
        let isOther = false
        result = await tasks.change(file, id, withSignature(change, present, session), (latest) => {
          isOther = signatures(latest) !== before
          return !isOther
        })
        if (!isOther) break
      }
      if (result.kind === 'missing')
        throw new Refusal(`${id} is no longer in tasks/${file}. Find it with query_tasks.`)
      if (result.kind === 'refused')
        throw new Refusal(result.reason ?? `Cadre cannot make this change to ${id}.`)
      const { state } = tasks.read(file).tasks.find((one) => one.id === id) ?? task
      return {
        content: JSON.stringify({
          success: true,
          id,
          file: `tasks/${file}`,
          state,
          changed: result.kind === 'changed',
        }),
      }
    },
    async check(input) {
      return isUpToDate(find(tasks, input.id).task, changeOf(input)) ? 'done' : 'not_done'
    },
  }
}

function changeOf({ id: _, state, title, priority, who, tags, ...rest }: UpdateTaskInput): TaskChange {
  const { fields: given = {}, description, depends_on: before, approval_required: approval } = rest
  if (priority !== undefined && !/^[A-Za-z]$/.test(priority))
    throw new Refusal('priority must be one letter, A to Z.')
  rejectReservedFields(Object.entries(given))
  if ('parent' in given)
    throw new Refusal('You cannot move a task below another one. Create a new task there instead.')
  const fields: Record<string, string | null> = {
    ...given,
    ...(description !== undefined && { description }),
    ...(before !== undefined && { depends_on: before.length === 0 ? null : before.join(', ') }),
    ...(approval !== undefined && { approval_required: String(approval) }),
  }
  const change: TaskChange = {
    ...(state !== undefined && { state }),
    ...(title !== undefined && { title: title.replace(/\s+/g, ' ').trim() }),
    ...(priority !== undefined && { priority: priority.toUpperCase() }),
    ...(who !== undefined && { who }),
    ...(tags !== undefined && { tags }),
    ...(Object.keys(fields).length > 0 && { fields }),
  }
  if (Object.keys(change).length === 0)
    throw new Refusal('Nothing to change. Give a state, a title, or fields.')
  return change
}

/** Adds the completion time to a task that becomes done, unless the call sets it. */
function withCompletionTime(change: TaskChange, task: TaskItem, now: Date): TaskChange {
  const isNew = change.state === 'done' && task.state !== 'done' && change.fields?.['completed'] === undefined
  return isNew ? { ...change, fields: { ...change.fields, completed: now.toISOString() } } : change
}

/** The fields that determine how a task is judged: who changed it, and its requirements. */
function signatures({ fields, state }: TaskItem): string {
  const keys = ['updated_by', 'approval_required', 'type', 'session']
  return JSON.stringify([state, ...keys.map((key) => fields.get(key) ?? null)])
}

/** Keeps every session that changed it, the last one at the end. A mark identifies the session. */
function withSignature({ fields = {}, ...change }: TaskChange, task: TaskItem, session: string): TaskChange {
  const before = task.fields.get('updated_by')?.split(/[\s,]+/) ?? []
  const names = [...before.filter((name) => name !== '' && name !== session), session]
  const { state } = change
  return {
    ...change,
    fields: {
      ...fields,
      updated_by: names.join(', '),
      ...(state !== undefined && state !== task.state && { marked_by: `${session} ${state}` }),
    },
  }
}

function refuse(file: string, task: TaskItem, { state, fields = {} }: TaskChange, session: string): void {
  if (isApproval(file, task))
    throw new Refusal(
      `${task.id} is an approval. Only a person can decide it, with "cadre approve", "cadre reject" or in its file.`,
    )
  if (state === 'open' && task.state === 'running' && task.fields.get('session') === session)
    throw new Refusal(
      `${task.id} is the task you are working on. Reopening it would start it again. Finish with your report, or mark it as failed.`,
    )
  const wanted = fields['approval_required']
  if (wanted !== undefined && isSet(task.fields.get('approval_required')) && !isSet(wanted))
    throw new Refusal(`${task.id} requires approvals. Only a person can change that, in its file.`)
}

function isSet(value: string | null | undefined): boolean {
  return value !== undefined && value !== null && !/^(?:false|no|off|0|)$/i.test(value.trim())
}

interface Found {
  readonly file: string
  readonly task: TaskItem
}

/** Finds a task by its full id, or by a unique prefix. */
function find(tasks: TaskPort, wanted: string): Found {
  const all = tasks.list().flatMap((file) => tasks.read(file).tasks.map((task): Found => ({ file, task })))
  const exact = all.filter(({ task }) => task.id === wanted)
  const found = exact.length > 0 ? exact : all.filter(({ task }) => task.id?.startsWith(wanted))
  const [only, ...others] = found
  if (only === undefined) throw new Refusal(`There is no task ${wanted}. List tasks with query_tasks.`)
  if (others.length === 0) return only
  const fit = found.slice(0, 5).map(({ file, task }) => `${task.id} (tasks/${file}:${task.line})`)
  throw new Refusal(
    `${found.length} tasks match ${wanted}: ${fit.join(', ')}${found.length > 5 ? ', …' : ''}. Give the full id.`,
  )
}

function isUpToDate(task: TaskItem, { fields = {}, ...change }: TaskChange): boolean {
  const { state, title, priority, who, tags } = change
  return (
    (state === undefined || task.state === state) &&
    (title === undefined || task.title === title) &&
    (priority === undefined || (task.priority ?? null) === priority) &&
    (who === undefined || task.who.join() === who.join()) &&
    (tags === undefined || task.tags.join() === tags.join()) &&
    Object.entries(fields).every(
      ([key, value]) => (task.fields.get(key)?.trimEnd() ?? null) === (value?.trimEnd() ?? null),
    )
  )
}
