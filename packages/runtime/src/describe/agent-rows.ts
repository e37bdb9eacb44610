import { type AgentFile, agentNameFromPath, type LoadedAgents, listTeams, loadTeam } from '@cadre/agents'
import { type AgentDefinition, type JsonObject, nameKey } from '@cadre/core'
import { assistant } from '../assistant.ts'
import type { AvailableAgents } from '../find-available-agents.ts'
import { fileOf } from './file-of.ts'

export interface BuiltInAgents {
  /** Absent for the assistant, which is not part of any team. */
  readonly team?: string
  readonly agents: readonly AgentDefinition[]
}

/** Built-in agents that `cadre run --agent` finds by name, except those that a policy disables or a file replaces. */
export function otherBuiltIns({ agents, files }: LoadedAgents, here: AvailableAgents): BuiltInAgents[] {
  const taken = new Set(
    [
      ...agents.map(({ name }) => name),
      ...files.map(({ agent, path }) => agent ?? agentNameFromPath(path)),
    ].map(nameKey),
  )
  const usable = (all: readonly AgentDefinition[]) =>
    all.filter((agent) => {
      const isFree = !taken.has(nameKey(agent.name)) && here.refusal(agent) === undefined
      // If several teams have an agent with this name, the first one is used.
      if (isFree) taken.add(nameKey(agent.name))
      return isFree && agent.userInvocable !== false
    })
  return [
    { agents: usable([assistant]) },
    ...listTeams().map(({ name: team }) => ({ team, agents: usable(loadTeam(team).agents) })),
  ].filter(({ agents: found }) => found.length > 0)
}

/** The rows of `cadre agents list --json`, without the modes of Copilot. */
export function agentRows(here: AvailableAgents): JsonObject[] {
  const loaded = here.registry.loaded()
  return [
    ...loaded.agents.map((agent) => rowOf(agent, loaded.files, here)),
    ...otherBuiltIns(loaded, here).flatMap(({ team, agents }) =>
      agents.map((agent) => ({ ...rowOf(agent, [], here), ...(team !== undefined && { team }) })),
    ),
  ]
}

function rowOf(agent: AgentDefinition, files: readonly AgentFile[], here: AvailableAgents): JsonObject {
  const { name, description, source, models, userInvocable = true, modelInvocable = true } = agent
  const file = fileOf(agent, files)
  const refused = here.refusal(agent)
  return {
    name,
    source: source?.path ?? 'built-in',
    dialect: source?.dialect ?? 'built-in',
    ...(file?.shadows && { shadows: file.shadows }),
    description,
    ...(models && { models }),
    userInvocable,
    modelInvocable,
    status: file?.status ?? 'ok',
    entry: name === here.entry,
    ...(refused !== undefined && { refused }),
  }
}
