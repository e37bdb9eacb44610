import type { AgentDefinition, Tool } from '@cadre/core'
import type { Configuration, Preview } from '@cadre/settings-page'
import { settingsText } from './levels.ts'

export interface PreviewRequest {
  readonly configuration: Configuration
  /** The agent whose prompt is requested. */
  readonly selected: number
  readonly tools: readonly Tool[]
  /** Agents from files. Agents from settings take precedence over the same name. */
  readonly others: readonly AgentDefinition[]
}

/**
 * What the engine would send to the model: for the entry agent when a person asks it, for any other when the entry agent
 * delegates to it. `undefined` for an agent that is invalid.
 */
export async function createPreview(request: PreviewRequest): Promise<Preview | undefined> {
  const { configuration, selected, tools, others } = request
  const [{ readSettingsAgents }, { nameKey, agentSetup, toolsetOf }] = await Promise.all([
    import('@cadre/agents'),
    import('@cadre/core'),
  ])
  const { entryAgent, agents } = configuration
  const read = readSettingsAgents({ path: 'settings', text: settingsText({ entryAgent, agents }) })
  const own = read.agents.map(({ agent }) => agent)
  const place = `configuration.agents[${selected}]`
  const agent = read.agents.find((found) => found.place === place)?.agent
  if (agent === undefined || agents[selected]?.name !== agent.name) return undefined
  const taken = new Set(own.map(({ name }) => nameKey(name)))
  const all = [...own, ...others.filter(({ name }) => !taken.has(nameKey(name)))]
  const sorted = all.sort((a, b) => (a.name < b.name ? -1 : 1))
  const above = read.entry === undefined || read.entry === agent.name ? [] : [read.entry]
  const ports = {
    agents: {
      list: () => sorted,
      get: (name: string) => sorted.find((one) => nameKey(one.name) === nameKey(name)),
    },
    tools,
  }
  const { systemPrompt, targets } = agentSetup(agent, ports, above)
  const completion = above.length === 0 ? 'text' : 'report'
  return {
    agent: agent.name,
    prompt: systemPrompt,
    tools: toolsetOf({ agent, tools, targets, completion }).names(),
  }
}
