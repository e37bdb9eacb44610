import type { Rule } from '@cadre/core'
import type { TeamFiles } from './open-teams.ts'

/** A message can begin a session of any agent: who has the tool for messages only as a teammate writes to its team alone. */
export function teamOnly(teams: Pick<TeamFiles, 'addressOf'>): Rule {
  return {
    by: 'agent',
    name: 'team-only',
    immediate: true,
    judge({ tool, input, teamOnly }, { id, agent }) {
      if (teamOnly !== true) return undefined
      const address = teams.addressOf(id, (input as { to: string }).to)
      // Of several members of this name, the tool asks which one is meant.
      if (address?.kind === 'member' || address?.kind === 'ambiguous') return undefined
      const team =
        address === undefined ? 'Your team no longer exists.' : `Your team: ${address.names.join(', ')}.`
      const reason = `${agent.name} may only write to its team, because its tools do not include ${tool.name}. ${team}`
      return { kind: 'deny', by: 'agent', rule: 'team-only', reason }
    },
  }
}
