import type { AgentDefinition, Tool } from '@cadre/core'
import type { ToolChoice, ToolGroup } from '@cadre/settings-page'

/** A tool in VS Code's list. */
export interface EditorTool {
  readonly name: string
  readonly description: string
}

const sets: readonly ToolChoice[] = [
  { name: 'read', description: 'All tools that read files' },
  { name: 'search', description: 'All search tools' },
  { name: 'edit', description: 'All tools that change files' },
  { name: 'execute', description: 'All tools that run programs' },
  { name: 'web', description: 'All tools that read web pages' },
]

const delegation: readonly ToolChoice[] = [
  { name: 'delegateWork', description: 'Delegates work to another agent and waits for its report' },
  { name: 'delegate_task', description: 'Starts another agent in the background' },
  {
    name: 'reportOut',
    description: 'Submits the report on delegated work. Agents that must report always have it',
  },
]

/** The tools that a person can permit, in groups. */
export function toolGroups(builtIn: readonly Tool[], editor: readonly EditorTool[]): readonly ToolGroup[] {
  const isServer = ({ name }: EditorTool) => /^mcp_/i.test(name)
  const own = editor.filter(({ name }) => !name.startsWith('copilotMultiAgent_'))
  const groups = [
    { label: 'Sets of tools', tools: sets },
    { label: 'Delegation', tools: delegation },
    { label: 'Built-in tools', tools: builtIn.map(choiceOf) },
    { label: 'VS Code and extensions', tools: own.filter((tool) => !isServer(tool)).map(choiceOf) },
    { label: 'MCP servers', tools: own.filter(isServer).map(choiceOf) },
  ]
  return groups.filter(({ tools }) => tools.length > 0)
}

function choiceOf({ name, description }: EditorTool): ToolChoice {
  const [sentence = ''] = description.split(/(?<=[.!?])\s|\n/)
  return { name, description: sentence.slice(0, 200) }
}

/** A tool that an agent names but that does not exist. */
export interface MissingTool {
  readonly agent: string
  readonly tool: string
}

/** Tools that agents name but that are not available now, such as those of a removed extension. */
export async function missingTools(
  agents: readonly AgentDefinition[],
  tools: readonly Tool[],
): Promise<readonly MissingTool[]> {
  const { toolsetOf, interpretToolName } = await import('@cadre/core')
  return agents.flatMap((agent) => {
    if (agent.tools.kind === 'all') return []
    const { unknown, absent } = toolsetOf({ agent, tools, targets: ['somebody'], completion: 'report' })
    const isReport = (name: string) => {
      const meaning = interpretToolName(name)
      return meaning.kind === 'tools' && meaning.names.includes('reportOut')
    }
    return [...unknown, ...absent]
      .filter((name) => !isReport(name))
      .map((tool) => ({ agent: agent.name, tool }))
  })
}
