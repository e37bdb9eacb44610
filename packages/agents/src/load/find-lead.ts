import { type AgentDefinition, nameKey } from '@cadre/core'

const leads = ['lead', 'coordinator', 'supervisor']

/** Returns the agent whose name suggests that it leads, if no entry agent is set. */
export function findLead(agents: readonly AgentDefinition[]): AgentDefinition | undefined {
  return leads.flatMap((name) => agents.find((agent) => nameKey(agent.name) === name) ?? [])[0]
}
