import { type AgentDefinition, nameKey } from '@cadre/core'

const leads = ['lead', 'coordinator', 'supervisor']

/** Of agents among which nobody says who starts: the one whose name says that it leads. */
export function leadOf(agents: readonly AgentDefinition[]): AgentDefinition | undefined {
  return leads.flatMap((name) => agents.find((agent) => nameKey(agent.name) === name) ?? [])[0]
}
