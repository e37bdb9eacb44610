import { type AgentDefinition, allowedTargets, isTargetDenied, nameKey, type SessionSpec } from '@cadre/core'
import type { RunParts } from '../run-parts.ts'
import type { TargetsView } from './agent-view.ts'
import type { KeyLocations } from './key-locations.ts'

export interface TargetsRequest {
  readonly agent: AgentDefinition
  readonly parts: RunParts
  readonly places: KeyLocations
  readonly entry: SessionSpec
  readonly delegated: SessionSpec
}

/** Lists the agents that this agent may start. For all others, gives the reason, starting with those that its file names. */
export function describeTargets({ agent, parts, places, entry, delegated }: TargetsRequest): TargetsView {
  const isEntry = agent.userInvocable !== false
  const named = agent.delegates?.kind === 'list' ? agent.delegates.names : []
  const others = parts.registry.list().flatMap(({ name }) => (name === agent.name ? [] : [name]))
  const seen = new Set((isEntry ? entry : delegated).targets.map(nameKey))
  const refused: { name: string; reason: string }[] = []
  for (const name of [...named, ...others]) {
    if (seen.has(nameKey(name))) continue
    seen.add(nameKey(name))
    refused.push({ name, reason: whyNot(parts, isEntry ? entry : delegated, name) })
  }
  return {
    entry: isEntry ? entry.targets : [],
    delegated: agent.modelInvocable === false ? [] : delegated.targets,
    refused,
    from: places.of(
      ['agents', 'subagents'],
      agent.delegates === undefined ? 'default' : places.of(['tools']),
    ),
  }
}

function whyNot(parts: RunParts, session: SessionSpec, name: string): string {
  const { agent, parent } = session
  const { registry, agents, policy, limits, enforced } = parts
  const other = registry.get(name)
  if (other === undefined) return 'no agent has this name'
  if (other.name === agent.name) return 'an agent cannot delegate to itself'
  if (!policy.subagents)
    return `delegation is disabled (${policy.decidedBy.get('subagent.enabled') ?? 'policy'})`
  const refusal = enforced.refuse({ ...session, agent: other })?.message
  if (refusal !== undefined) return refusal
  if (!allowedTargets(agent, agents.list(), parent === undefined).includes(other))
    return unlistedReason(agent, other)
  if (limits.depth < 1) return `the maximum delegation depth is ${limits.depth}`
  return 'the agent has no tool to delegate with'
}

function unlistedReason(agent: AgentDefinition, other: AgentDefinition): string {
  const { delegates } = agent
  if (isTargetDenied(agent, other.name)) return "the permission rules in the agent's file deny it"
  if (delegates?.kind === 'list') return "not in the agent's list of agents"
  if (delegates?.kind === 'all' || other.modelInvocable === false)
    return 'other agents may not delegate to it'
  return delegates === undefined
    ? 'a delegated agent can delegate only if its file lists agents'
    : 'the agent may not delegate'
}
