import { readTeamFiles } from '@cadre/agents'
import type { AgentDefinition } from '@cadre/core'
import { contributedTeams } from '../../chat-agents/contributed-teams.ts'

let agents: readonly AgentDefinition[] | undefined

/** The agents that this extension adds to VS Code's agent mode. */
export function contributedAgents(): readonly AgentDefinition[] {
  agents ??= contributedTeams.flatMap(({ team }) => readTeamFiles(team).map(({ agent }) => agent))
  return agents
}
