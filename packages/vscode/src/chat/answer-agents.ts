import type { AgentDefinition } from '@cadre/core'
import { chooseAgent, reportAgentProblems } from '@cadre/runtime'
import type * as vscode from 'vscode'
import { codeSpan, escapeMarkdown } from '../markdown.ts'
import type { Turn } from './turn.ts'

/** `/agents`: lists the agents, the entry agent, and what each may do. Not a table, because tables break words in a narrow chat. */
export async function showAgents({ chat, use }: Turn): Promise<vscode.ChatResult> {
  return use(async (runtime) => {
    const agents = runtime.agents.list()
    const entry = entryAgent(runtime)
    const [first] = agents
    if (first !== undefined) reportAgentProblems(runtime, first)
    // Without a lead, a built-in agent starts.
    const isListed = entry === undefined || agents.some(({ name }) => name === entry.name)
    const rows = [...(isListed ? [] : [entry]), ...agents].map((agent) =>
      agentLines(agent, agent.name === entry?.name),
    )
    chat.tell(rows.join('\n'))
    if (!isListed)
      chat.tell(
        `No entry agent is set, so the built-in agent ${codeSpan(entry.name)} answers. To choose another agent, set \`copilotMultiAgent.entryAgent\`.`,
      )
    chat.button('Open Agent Settings', 'copilotMultiAgent.openSettings', {})
    return {}
  })
}

function agentLines(agent: AgentDefinition, isEntry: boolean): string {
  const mark = isEntry ? ' (answers `@agents`)' : ''
  return `- **${escapeMarkdown(agent.name)}**${mark}: ${escapeMarkdown(agent.useFor ?? agent.description)}  \n  Tools: ${toolsOf(agent)} · Delegates to: ${delegatesOf(agent)}`
}

function entryAgent(runtime: Parameters<typeof chooseAgent>[0]): AgentDefinition | undefined {
  try {
    return chooseAgent(runtime)
  } catch {
    return undefined
  }
}

function toolsOf({ tools }: AgentDefinition): string {
  if (tools.kind === 'all') return 'all'
  return tools.names.length === 0 ? 'none' : tools.names.map((name) => codeSpan(name)).join(', ')
}

function delegatesOf({ delegates }: AgentDefinition): string {
  if (delegates === undefined) return 'any agent, but only as the entry agent'
  if (delegates.kind !== 'list') return delegates.kind === 'all' ? 'any agent' : 'none'
  return delegates.names.map((name) => codeSpan(name)).join(', ')
}
