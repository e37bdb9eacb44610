import { budgetNoticesInSubtree, newNotices } from '../budget/budget-notices.ts'
import { subagentResult } from './follow-up.ts'
import type { LedTeammates, TeammateResult } from './led-teammates.ts'
import { hasUnrecordedMessages } from './mail.ts'
import { notice, type Session, say, withoutSlot } from './session.ts'

/**
 * Waits until the team of a lead is idle. Returns true if the lead may end: no teammate is running, every message was delivered, and the
 * lead has received the last reply of each teammate. Otherwise the lead continues with the new messages.
 */
export async function awaitTeam(session: Session, teammates: LedTeammates): Promise<boolean> {
  await withoutSlot(session, () => teammates.settled())
  if (session.node.isStopped || session.tree.isPausing || hasUnrecordedMessages(session)) return false
  teammates.requireEnds()
  const news = teammates.takeResults()
  for (const { report } of news)
    for (const { code, message } of newNotices(session.state, budgetNoticesInSubtree(report)))
      await notice(session, code, message)
  await noteUndelivered(session, teammates)
  if (news.length === 0) return true
  await say(session, `team/${session.state.round}`, {
    content: [
      'Your teammates are idle. Their last replies:',
      ...news.map(resultOf),
      'If there is more work for them, write to them with send_message. Otherwise, reply with your answer.',
    ].join('\n\n'),
    // Their own records contain their usage, which is added when the lead ends.
    collected: news.map(({ key }) => key),
  })
  return false
}

async function noteUndelivered(session: Session, teammates: LedTeammates): Promise<void> {
  const notices = teammates.undelivered().map(({ name, team, count }) => ({
    code: 'team',
    message: `${count === 1 ? '1 message' : `${count} messages`} to ${name} in team ${team} could not be delivered`,
  }))
  for (const { code, message } of newNotices(session.state, notices)) await notice(session, code, message)
}

function resultOf({ name, team, report }: TeammateResult): string {
  return subagentResult(report, { team, name })
}
