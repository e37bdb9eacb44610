import { object, optional, string } from '@cadre/core'
import type { McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { maxWorkLength } from './delegated-run.ts'

const input = object({
  task: string('What the agents should do', { min: 1, max: maxWorkLength }),
  team: optional(string('A built-in team', { max: 200 })),
})

/** The prompts that hosts offer to people, for example as slash commands. */
export function addPrompts(server: McpServer): void {
  const schema = input as unknown as StandardSchemaWithJSON<unknown, { task: string; team?: string }>
  server.registerPrompt(
    'delegate',
    { title: 'Delegate to Cadre', description: 'Delegate a task to a team of agents', argsSchema: schema },
    ({ task, team }) => {
      const how = team === undefined ? '' : ` Use the team ${JSON.stringify(team)}.`
      const text = `Delegate this task with Cadre's tool delegate_work.${how} Write complete, self-contained instructions, because the agents do not see this conversation. Then call wait_for_run until the run has ended, and summarise the report. If an approval is pending, show me the whole action.\n\nThe task:\n${task}`
      return { messages: [{ role: 'user', content: { type: 'text', text } }] }
    },
  )
}
