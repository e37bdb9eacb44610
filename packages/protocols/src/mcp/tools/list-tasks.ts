import { boolean, object, optional, shortLine } from '@cadre/core'
import { openTaskFiles, type TaskItem } from '@cadre/tasks'
import { defineHostTool, type HostTool } from '../host-tool.ts'

const input = object({
  all: optional(boolean('If true, lists done and skipped tasks too')),
})
const maxTasks = 100

export function listTasksTool(): HostTool<unknown> {
  return defineHostTool({
    name: 'list_tasks',
    title: 'List tasks',
    description: "Lists the tasks in this project's home directory, with their state and owner.",
    input,
    reads: true,
    async run({ all = false }, { delegatedRuns: { home } }) {
      const files = openTaskFiles({ folder: home.at('tasks'), home })
      const tasks = files
        .list()
        .flatMap((file) => files.read(file).tasks.map((task) => ({ file, task })))
        .filter(({ task }) => all || !['done', 'skipped'].includes(task.state))
      const lines = tasks.slice(0, maxTasks).map(({ file, task }) => lineOf(task, file))
      if (lines.length === 0) return 'There are no open tasks. Next: call create_task, or delegate_work.'
      const more = tasks.length - lines.length
      return [...lines, ...(more > 0 ? [`… and ${more} more in ${home.at('tasks')}`] : [])].join('\n')
    },
  })
}

function lineOf({ id, state, priority, who, title, fields }: TaskItem, file: string): string {
  const facts = [
    state,
    ...(priority === undefined ? [] : [`priority ${priority}`]),
    ...who.map((name) => `@${name}`),
    ...(fields.has('session') ? [`session ${fields.get('session')}`] : []),
    `tasks/${file}`,
  ]
  return `- ${id ?? 'no id'}: ${shortLine(title, 200)} (${shortLine(facts.join(', '), 300)})`
}
