import { type AgentDefinition, nameKey } from '@cadre/core'
import type { TeamSummary } from './built-in-team.ts'
import { listTeams, loadTeam } from './load-team.ts'

/**
 * Returns the built-in team that has all of these agents, in the form for `loadTeam`. Prefers a team whose entry agent is
 * one of them. Undefined if no team has them all.
 */
export function findTeamWith(agents: readonly string[]): string | undefined {
  const keys = agents.map(nameKey)
  const isLed = ({ entry }: TeamSummary) => keys.includes(nameKey(entry))
  const teams = listTeams().toSorted((a, b) => Number(isLed(b)) - Number(isLed(a)))
  for (const { name, variants } of teams)
    for (const [index, variant] of variants.entries()) {
      const has = new Set(loadTeam(name, variant.name).agents.map((agent) => nameKey(agent.name)))
      if (keys.every((key) => has.has(key))) return index === 0 ? name : `${name}/${variant.name}`
    }
  return undefined
}

/** Returns the team of a definition, in the form for `loadTeam`; undefined for an agent from a file. */
export function teamForAgent({ source }: AgentDefinition): string | undefined {
  if (source?.dialect !== 'built-in') return undefined
  return /^built-in:(.+)\/[^/]+$/.exec(source.path)?.[1]
}
