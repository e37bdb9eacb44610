import type { Approval, Vote } from '@cadre/api'
import { isPermission } from '@cadre/core'

/** The number of people who have approved the call so far. A single rejection decides, so there are no rejections among these votes. */
export function approvedBy(votes: readonly Vote[]): number {
  return votes.filter(({ decision }) => isPermission(decision)).length
}

/** The number of approvals that are still missing after one more. */
export function missingAfterOne({ needed, votes }: Pick<Approval, 'needed' | 'votes'>): number {
  return Math.max(0, (needed?.quorum ?? 1) - approvedBy(votes) - 1)
}

/** Returns whether this person has already approved an approval that needs several people. */
export function hasApproved(
  { needed, votes }: Pick<Approval, 'needed' | 'votes'>,
  by: string | undefined,
): boolean {
  return needed !== undefined && votes.some((vote) => vote.by === by && isPermission(vote.decision))
}
