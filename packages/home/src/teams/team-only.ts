import type { Rule } from '@cadre/core'
import type { TeamFiles } from './open-teams.ts'

/** A message can start a session of any agent, so an agent that has `send_message` only as a teammate may write only to its team. */
export function createTeamOnlyRule(teams: Pick<TeamFiles, 'addressOf'>): Rule {
  return {
    by: 'agent',
    name: 'team-only',
    immediate: true,
    judge({ tool, input, teamOnly }, { id, agent }) {
      if (teamOnly !== true) return undefined
      const address = teams.addressOf(id, (input as { to: string }).to)
      // If several members have this name, the tool asks for the team.
      if (address?.kind === 'member' || address?.kind === 'ambiguous') return undefined
      const team =
        address === undefined ? 'Your team no longer exists.' : `Your team: ${address.names.join(', ')}.`
      const reason = `${agent.name} may only write to its team, because its tools do not include ${tool.name}. ${team}`
      return { kind: 'deny', by: 'agent', rule: 'team-only', reason }
    },
  }
}
