import { readTeamFiles } from '@cadre/agents'
import type { AgentDefinition } from '@cadre/core'

/** The teams whose agents VS Code's own agent mode is offered. `scripts/lib/chat-agents.mjs` writes their files. */
export const contributedTeams: readonly string[] = ['coordinator/advanced', 'supervisor']

let agents: readonly AgentDefinition[] | undefined

export function contributedAgents(): readonly AgentDefinition[] {
  agents ??= contributedTeams.flatMap((team) => readTeamFiles(team).map(({ agent }) => agent))
  return agents
}
