import type { Rule } from '@cadre/core'
import type { TeamFiles } from './open-teams.ts'

/** The default number of messages that the members of one team may send each other. */
export const defaultTeamMessages = 500

/**
 * Limits the messages of a team, because agents that write to each other forever cost money. The refusal is reported as a decision. Calls
 * that are judged together may all pass this rule, so `send_message` checks the count again.
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
