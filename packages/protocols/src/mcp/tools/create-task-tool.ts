import { CadreError, object, optional, string } from '@cadre/core'
import { isDaemonRunning } from '@cadre/home'
import { openTaskFiles } from '@cadre/tasks'
import { defineHostTool, type HostTool } from '../host-tool.ts'
import type { DelegateOptions } from './delegate-work.ts'

const input = object({
  title: string('The task, in one line', { min: 1, max: 500, visible: true }),
  description: optional(string('Everything that the agent needs to know', { max: 50_000 })),
  agent: optional(string('The agent for the task. A running daemon starts it', { min: 1, max: 100 })),
  priority: optional(string('A letter; A is the highest', { min: 1, max: 1 })),
})

const file = 'delegated.task.md'

export function createTaskTool({ readOnly = false }: Pick<DelegateOptions, 'readOnly'>): HostTool<unknown> {
  return defineHostTool({
    name: 'create_task',
    title: 'Create a task',
    description:
      'Writes a task to a task file, for a person or for an agent. Use delegate_work for work that must start now.',
    input,
    reads: false,
    async run({ title, description, agent, priority }, { delegatedRuns: { home }, client }) {
      if (priority !== undefined && !/^[A-Za-z]$/.test(priority))
        throw new CadreError('usage', 'priority must be one letter, A to Z.')
      if (agent !== undefined && !/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(agent))
        throw new CadreError(
          'usage',
          `${JSON.stringify(agent)} is not the name of an agent. Call list_agents.`,
        )
      // The daemon would run it with the permissions of a person's task.
      if (agent !== undefined && readOnly)
        throw new CadreError(
          'policy',
          'this server is read-only, so it cannot give a task to an agent. Omit "agent": a person then assigns the task.',
        )
      const tasks = openTaskFiles({ folder: home.folder('tasks'), home })
      const { id } = await tasks.add(file, {
        title: title.replace(/\s+/g, ' ').trim(),
        ...(agent !== undefined && { who: [agent] }),
        ...(priority !== undefined && { priority: priority.toUpperCase() }),
        fields: {
          created: new Date().toISOString(),
          requested_by: (client.name || 'an unknown program').slice(0, 100),
          ...(description?.trim() && { description }),
        },
      })
      const next = agent === undefined ? 'It has no agent, so a person must assign it.' : startText(home)
      return `Created task ${id} in tasks/${file}. ${next}\nNext: call list_tasks to see its state.`
    },
  })
}

function startText(home: Parameters<typeof isDaemonRunning>[0]): string {
  return isDaemonRunning(home)
    ? 'The daemon starts it.'
    : 'No daemon is running, so it does not start automatically. Call delegate_work to start work now, or ask the person to run: cadre up'
}
