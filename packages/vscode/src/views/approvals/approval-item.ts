import { timeAgo } from '../time-ago.ts'

/**
 * Identifies a question that a session asked. Commands receive it as their argument, from the view or from a button in the
 * chat.
 */
export interface QuestionTarget {
  readonly session: string
  readonly question: string
}

/** A pending decision in the view. All text is safe to show. */
export interface ApprovalItem extends QuestionTarget {
  readonly id: string
  readonly root: string
  readonly agent: string
  readonly risk: string | undefined
  /** The start of the action. */
  readonly title: string
  /** The whole action, and why approval is needed. */
  readonly text: string
  /** The title is the whole action. */
  readonly isWhole: boolean
  /** The call was interrupted: the person is asked whether it took effect. */
  readonly isDoubt: boolean
  /** It can be approved for the rest of its session. */
  readonly isRepeatable: boolean
  /** What that would permit. */
  readonly grants: readonly string[]
  readonly created: string
  /** The person sees it elsewhere in this window, such as in the chat. */
  readonly isShown: boolean
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

/** Returns the message about new approvals that the person does not see elsewhere. */
export function newApprovalsMessage(
  fresh: readonly ApprovalItem[],
): { readonly message: string; readonly only?: ApprovalItem } | undefined {
  const [first, ...others] = fresh.filter(({ isShown }) => !isShown)
  if (first === undefined) return undefined
  if (others.length > 0) return { message: `${countText(others.length + 1)} pending.` }
  const risk = first.risk === undefined ? '' : ` (${first.risk.toLowerCase()} risk)`
  return {
    message: first.isDoubt
      ? `A call by ${first.agent} was interrupted.`
      : `${first.agent} asks for your approval${risk}.`,
    only: first,
  }
}

export const noLongerPending =
  'This approval is no longer pending: the session has continued, or its file was deleted. Refresh the Approvals view.'

export function countText(count: number): string {
  return count === 1 ? '1 approval' : `${count} approvals`
}
