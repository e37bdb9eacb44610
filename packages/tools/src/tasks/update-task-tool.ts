import { boolean, type Infer, object, oneOf, optional, string, type Tool } from '@cadre/core'
import { builtIn, without } from '../built-in.ts'
import { fieldValues, nameList } from './task-names.ts'
import type { TaskPort } from './task-port.ts'

const input = object({
  id: string('Id of the task, or the beginning of one', { min: 1 }),
  state: optional(oneOf(['open', 'running', 'done', 'skipped', 'failed'], 'How it stands with it')),
  title: optional(string('A new title', { min: 1, max: 500 })),
  priority: optional(string('A letter, A first')),
  who: optional(nameList('Who shall do it, in the place of those who should')),
  tags: optional(nameList('Tags, in the place of those it has')),
  description: optional(string('A new description', { max: 50_000 })),
  depends_on: optional(nameList('Ids of tasks that must be done before, in the place of those it has')),
  approval_required: optional(boolean('True: every effect of the work waits for an approval')),
  fields: optional(fieldValues('Fields to set, by name; null takes one away')),
})

export type UpdateTaskInput = Infer<typeof input>

/** What others call the states. */
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
      'Change a task in a task file: its state, title, priority, who does it, or fields. What is not named stays.',
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
    load: async () => (await import('./update-task.ts')).updateTask(tasks()),
  })
}

function reshape(given: Record<string, unknown>): Record<string, unknown> {
  const { status, completed, ...rest } = without(given, ['activeForm'])
  const said =
    rest['state'] ?? status ?? (typeof completed === 'boolean' ? (completed ? 'done' : 'open') : undefined)
  const state = typeof said === 'string' && Object.hasOwn(states, said) ? states[said] : said
  return { ...rest, ...(state !== undefined && { state }) }
}
