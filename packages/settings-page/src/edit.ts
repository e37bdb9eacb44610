import type { Agent, Configuration, Permission } from './protocol.ts'

/** A new agent. It can read and search; a person decides what else it may do. */
export function emptyAgent(name: string): Agent {
  return {
    name,
    systemPrompt: '',
    description: '',
    useFor: '',
    delegationPermissions: { type: 'none' },
    toolPermissions: { type: 'specific', tools: ['read', 'search'] },
  }
}

/** Returns `reviewer`, or `reviewer-2` if that exists. Names are case-insensitive. */
export function freeName(wanted: string, agents: readonly Agent[]): string {
  const taken = new Set(agents.map(({ name }) => name.toLowerCase()))
  if (!taken.has(wanted.toLowerCase())) return wanted
  const stem = wanted.replace(/-\d+$/, '')
  for (let number = 2; ; number++) {
    const name = `${stem.slice(0, 49 - String(number).length)}-${number}`
    if (!taken.has(name.toLowerCase())) return name
  }
}

export function addAgent(configuration: Configuration, agent: Agent): Configuration {
  const { agents } = configuration
  const named = { ...agent, name: freeName(agent.name, agents) }
  return {
    entryAgent: agents.length === 0 ? named.name : configuration.entryAgent,
    agents: [...agents, named],
  }
}

/** Adds several agents that refer to each other: if one is renamed, references to it are too. */
export function addAgents(
  configuration: Configuration,
  added: readonly Agent[],
  entry?: string,
): Configuration {
  let team: Configuration = { entryAgent: entry ?? added[0]?.name ?? '', agents: added }
  const all = [...configuration.agents]
  for (const [index, agent] of added.entries()) {
    const name = freeName(agent.name, all)
    team = renameAgent(team, index, name)
    all.push({ ...agent, name })
  }
  return {
    entryAgent: configuration.agents.length === 0 ? team.entryAgent : configuration.entryAgent,
    agents: [...configuration.agents, ...team.agents],
  }
}

export function duplicateAgent(configuration: Configuration, index: number): Configuration {
  const agent = configuration.agents[index]
  if (agent === undefined) return configuration
  const copy = { ...agent, name: freeName(`${agent.name.slice(0, 45)}-copy`, configuration.agents) }
  return { ...configuration, agents: configuration.agents.toSpliced(index + 1, 0, copy) }
}

/** Removes an agent, and references to it in delegation lists. An entry agent needs a successor. */
export function deleteAgent(configuration: Configuration, index: number, successor?: string): Configuration {
  const deleted = configuration.agents[index]
  if (deleted === undefined || configuration.agents.length === 1) return configuration
  const agents = configuration.agents
    .toSpliced(index, 1)
    .map((agent) => withTargets(agent, (names) => names.filter((name) => name !== deleted.name)))
  const isEntry = configuration.entryAgent === deleted.name
  return { entryAgent: isEntry ? (successor ?? agents[0]?.name ?? '') : configuration.entryAgent, agents }
}

/** Renames an agent and all references to it: the entry agent, and delegation lists. */
export function renameAgent(configuration: Configuration, index: number, name: string): Configuration {
  const before = configuration.agents[index]?.name
  if (before === undefined) return configuration
  // While another agent has the same name, references are ambiguous.
  const isOnly = configuration.agents.filter((agent) => agent.name === before).length === 1
  const rename = (names: readonly string[]) => names.map((other) => (other === before ? name : other))
  const agents = configuration.agents.map((agent, at) => {
    const renamed = at === index ? { ...agent, name } : agent
    return isOnly ? withTargets(renamed, rename) : renamed
  })
  const isEntry = isOnly && configuration.entryAgent === before
  return { entryAgent: isEntry ? name : configuration.entryAgent, agents }
}

export function changeAgent(
  configuration: Configuration,
  index: number,
  change: Partial<Agent>,
): Configuration {
  const agents = configuration.agents.map((agent, at) => (at === index ? { ...agent, ...change } : agent))
  return { ...configuration, agents }
}

/** Without a model, the agent uses the model of the chat. */
export function changeModel(configuration: Configuration, index: number, model: string): Configuration {
  const { model: _, ...agent } = configuration.agents[index] ?? emptyAgent('')
  const changed: Agent = model === '' ? agent : { ...agent, model }
  return { ...configuration, agents: configuration.agents.with(index, changed) }
}

export function moveAgent(configuration: Configuration, index: number, by: -1 | 1): Configuration {
  const agent = configuration.agents[index]
  const target = index + by
  if (agent === undefined || target < 0 || target >= configuration.agents.length) return configuration
  return { ...configuration, agents: configuration.agents.toSpliced(index, 1).toSpliced(target, 0, agent) }
}

/** Returns the other agents that refer to this one, for the confirmation before deleting it. */
export function referencesTo(configuration: Configuration, index: number): readonly string[] {
  const name = configuration.agents[index]?.name
  return configuration.agents.flatMap((agent, at) =>
    at !== index && agent.delegationPermissions.agents?.includes(name ?? '') ? [agent.name] : [],
  )
}

export function isEqual(one: Configuration | undefined, other: Configuration | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** An empty list permits no agent, which has its own form. */
function withTargets(agent: Agent, change: (names: readonly string[]) => readonly string[]): Agent {
  const { delegationPermissions: permission } = agent
  if (permission.type !== 'specific' || permission.agents === undefined) return agent
  const agents = change(permission.agents)
  const isEmptied = agents.length === 0 && permission.agents.length > 0
  const changed: Permission<'agents'> = isEmptied ? { type: 'none' } : { ...permission, agents }
  return { ...agent, delegationPermissions: changed }
}
