import type { AgentDefinition } from '@cadre/core'
import { chooseAgent, tellFaults } from '@cadre/runtime'
import type * as vscode from 'vscode'
import { code, escaped } from '../markdown.ts'
import type { Turn } from './turn.ts'

/** `/agents`: who there is, what each is for, and what it may do. */
export async function showAgents({ chat, use }: Turn): Promise<vscode.ChatResult> {
  return use(async (runtime) => {
    const agents = runtime.agents.list()
    const entry = entryName(runtime)
    const [first] = agents
    if (first !== undefined) tellFaults(runtime, first)
    const rows = agents.map(
      (agent) =>
        `| ${code(agent.name)}${agent.name === entry ? ' (entry)' : ''} | ${escaped(agent.useFor ?? agent.description)} | ${toolsOf(agent)} | ${delegatesOf(agent)} |`,
    )
    chat.tell(
      rows.length === 0
        ? 'There are no agents yet. One assistant answers alone.'
        : ['| Agent | Use for | Tools | Delegates to |', '| --- | --- | --- | --- |', ...rows].join('\n'),
    )
    chat.button('Open Agent Settings', 'copilotMultiAgent.openSettings', {})
    return {}
  })
}

function entryName(runtime: Parameters<typeof chooseAgent>[0]): string | undefined {
  try {
    return chooseAgent(runtime).name
  } catch {
    return undefined
  }
}

function toolsOf({ tools }: AgentDefinition): string {
  if (tools.kind === 'all') return 'all'
  return tools.names.length === 0 ? 'none' : tools.names.map((name) => code(name)).join(', ')
}

function delegatesOf({ delegates }: AgentDefinition): string {
  if (delegates === undefined) return 'everyone, when it is asked directly'
  if (delegates.kind !== 'list') return delegates.kind === 'all' ? 'everyone' : 'nobody'
  return delegates.names.map((name) => code(name)).join(', ')
}
