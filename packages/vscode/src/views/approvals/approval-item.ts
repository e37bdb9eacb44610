import { timeAgo } from '../time-ago.ts'

/** Which question of which session: what commands get, from the view and from buttons in the chat. */
export interface QuestionTarget {
  readonly session: string
  readonly question: string
}

/** Something that waits for a person, as the view shows it. All text is safe to show. */
export interface ApprovalItem extends QuestionTarget {
  readonly id: string
  readonly root: string
  readonly agent: string
  readonly risk: string | undefined
  /** The beginning of the action. */
  readonly title: string
  /** The whole action and why it is asked. */
  readonly text: string
  /** The title is the whole action. */
  readonly isWhole: boolean
  /** The call was interrupted: whether it was carried out is asked. */
  readonly isDoubt: boolean
  /** It can be approved for the rest of its session. */
  readonly isRepeatable: boolean
  readonly created: string
  /** A run of this window asks, and shows it in the chat. */
  readonly isAskedHere: boolean
}

export function approvalDescription({ agent, risk, isDoubt, created }: ApprovalItem, now: number): string {
  const what = isDoubt ? 'interrupted' : risk === undefined ? undefined : `${risk.toLowerCase()} risk`
  return [agent, what, timeAgo(created, now)].filter((part) => part).join(' · ')
}

/** Which commands apply to it. */
export function approvalContext({ isDoubt, isRepeatable }: ApprovalItem): string {
  if (isDoubt) return 'approval doubt'
  return isRepeatable ? 'approval decidable repeatable' : 'approval decidable'
}

export function countText(count: number): string {
  return count === 1 ? '1 approval' : `${count} approvals`
}
