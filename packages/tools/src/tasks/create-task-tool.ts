import { boolean, type Infer, object, optional, string, type Tool } from '@cadre/core'
import { builtIn, without } from '../built-in.ts'
import { fieldValues, nameList } from './task-names.ts'
import type { TaskPort } from './task-port.ts'

const input = object({
  title: optional(string('What is to be done, in one line', { max: 500 })),
  file: optional(string('Task file, for example tasks/redis-check.task.md; default: your own')),
  content: optional(
    string(
      'Instead of a title: one or several tasks in the format of task files, nested by two spaces: - [ ] A @agent #tag "Title", with fields such as depends_on: below',
      { max: 100_000 },
    ),
  ),
  priority: optional(string('A letter, A first')),
  who: optional(nameList('Agents (or people) that shall do it')),
  tags: optional(nameList('Tags')),
  description: optional(string('What whoever does it has to know', { max: 50_000 })),
  parent: optional(string('Id of the task it stands below')),
  depends_on: optional(nameList('Ids of tasks that must be done before')),
  approval_required: optional(boolean('True: every effect of the work waits for an approval')),
  id: optional(string('Its id; default: a new one')),
  fields: optional(fieldValues('More fields, by name')),
})

export type CreateTaskInput = Infer<typeof input>

/** `attended`: whether somebody runs tasks now. */
export function createTaskTool(tasks: () => TaskPort, attended?: () => boolean): Tool {
  return builtIn<CreateTaskInput>({
    name: 'create_task',
    description:
      'Write down a task in a task file. Answers with the id, and with who gives it out: while a daemon runs, a task with an agent in who is started by itself when what it depends on is done.',
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
    reshape: (given) => without(given, ['activeForm']),
    input,
    load: async () => (await import('./create-task.ts')).createTask({ tasks: tasks(), attended }),
  })
}
