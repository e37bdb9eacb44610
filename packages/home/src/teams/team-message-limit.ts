import type { Rule } from '@cadre/core'
import type { TeamFiles } from './open-teams.ts'

/** Messages that the members of one team may send each other, where the configuration says nothing. */
export const defaultTeamMessages = 500

/**
 * Agents that write to each other without end cost money and help nobody: a team has a budget of messages. The refusal is a decision,
 * and is reported as one. Calls that are judged together may all pass here, so `send_message` counts again when it writes.
 */
export function teamMessageLimit(teams: TeamFiles): Rule {
  return {
    by: 'budget',
    name: 'team-messages',
    immediate: true,
    counts: true,
    judge({ tool, input }, { id }) {
      if (tool.name !== 'send_message' || tool.origin !== 'built-in') return undefined
      const address = teams.addressOf(id, (input as { to: string }).to)
      if (address?.kind !== 'member') return undefined
      const reason = teams.refuseMessage(address.team)
      return reason === undefined ? undefined : { kind: 'deny', by: 'budget', rule: 'team-messages', reason }
    },
  }
}
