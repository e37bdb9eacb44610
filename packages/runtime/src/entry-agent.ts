import { findLead, findTeamWith } from '@cadre/agents'
import { type AgentDefinition, CadreError, didYouMean, nameKey } from '@cadre/core'
import { assistant } from './assistant.ts'

export interface EntryRequest {
  readonly agents: readonly AgentDefinition[]
  /** `--agent`. */
  readonly wanted?: string | undefined
  /** `entry` of the configuration. */
  readonly configured?: string | undefined
  /** Problems in agent files, as sentences that start with `path:line`. */
  readonly faults: readonly string[]
}

/**
 * Chooses the entry agent: the requested one, the configured one, the only one, the lead, or else the built-in assistant. An
 * agent of Claude Code is a subagent there: as the only one, it is not the entry agent here either. The assistant delegates to it.
 */
export function entryAgent({ agents, wanted, configured, faults }: EntryRequest): AgentDefinition {
  if (wanted !== undefined) return named(wanted, 'there is no agent named')
  if (configured !== undefined)
    return named(configured, '"entry" in the configuration names an agent that does not exist:')
  const startable = agents.filter((agent) => agent.userInvocable !== false)
  const [only] = startable
  if (only !== undefined && startable.length === 1 && only.source?.dialect !== 'claude') return only
  const lead = findLead(startable)
  if (lead !== undefined) return lead
  // The user has defined an agent, so do not run without it.
  if (agents.length === 0 && faults[0] !== undefined) throw new CadreError('configuration', faults[0])
  return assistant

  function named(name: string, complaint: string): AgentDefinition {
    const key = name.toLowerCase()
    const known = [...agents, assistant]
    const found =
      known.find((agent) => agent.name === name) ??
      known.find((agent) => nameKey(agent.name) === nameKey(name))
    if (found !== undefined && found.userInvocable !== false) return found
    if (found !== undefined)
      throw new CadreError(
        'usage',
        `only other agents can start agent ${JSON.stringify(name)}. Start an agent that delegates to it.`,
      )
    const fault = faults.find((sentence) => sentence.toLowerCase().includes(`/${key}.`))
    if (fault !== undefined) throw new CadreError('configuration', fault)
    const names = known.filter((agent) => agent.userInvocable !== false).map((agent) => agent.name)
    const hint = didYouMean(name, names) || '.'
    const team = findTeamWith([name])
    const builtIn = team === undefined ? '' : ` The built-in team ${team} has one.`
    throw new CadreError(
      'not_found',
      `${complaint} ${JSON.stringify(name)}${hint}${builtIn} Known: ${names.join(', ')}.`,
    )
  }
}
