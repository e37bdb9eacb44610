import { type ApprovalRecord, approversOf } from './approval-record.ts'

/** The message after a vote that does not decide: `Recorded your approval: 1 of 2. Waiting for 1 more.` */
export function voteText(record: Pick<ApprovalRecord, 'need' | 'votes'>): string {
  const { quorum = 1 } = record.need ?? {}
  const count = approversOf(record).length
  return `Recorded your approval: ${count} of ${quorum}. Waiting for ${Math.max(quorum - count, 0)} more.`
}
