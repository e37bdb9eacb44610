import { type AgentDefinition, allowedTargets, type SessionSpec } from '@cadre/core'
import type { Parts } from '../runtime/load-parts.ts'
import type { TargetsView } from './agent-view.ts'
import type { KeyPlaces } from './key-places.ts'

export interface TargetsRequest {
  readonly agent: AgentDefinition
  readonly parts: Parts
  readonly places: KeyPlaces
  readonly entry: SessionSpec
  readonly delegated: SessionSpec
}

/** Whom the agent may start, as its sessions would be specified; and of those it names, why not the others. */
export function describeTargets({ agent, parts, places, entry, delegated }: TargetsRequest): TargetsView {
  const wanted = agent.delegates?.kind === 'list' ? agent.delegates.names : []
  const started = new Set(entry.targets.map((name) => name.toLowerCase()))
  const refused = wanted
    .filter((name) => !started.has(name.toLowerCase()))
    .map((name) => ({ name, reason: whyNot(agent, parts, name) }))
  return {
    entry: agent.userInvocable === false ? [] : entry.targets,
    delegated: agent.modelInvocable === false ? [] : delegated.targets,
    refused,
    from: places.of(
      ['agents', 'subagents'],
      agent.delegates === undefined ? 'default' : places.of(['tools']),
    ),
  }
}

function whyNot(agent: AgentDefinition, { agents, policy, limits }: Parts, name: string): string {
  const other = agents.get(name)
  if (other === undefined) return 'there is no agent of that name'
  if (other.name === agent.name) return 'an agent does not start itself'
  if (!allowedTargets(agent, agents.list(), true).includes(other))
    return 'it may not be started by other agents'
  if (!policy.subagents)
    return `delegation is switched off (${policy.decidedBy.get('subagent.enabled') ?? 'policy'})`
  if (limits.depth < 1) return `delegations may be ${limits.depth} deep`
  return 'its tools hold none to delegate with'
}
