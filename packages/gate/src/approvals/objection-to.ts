import type { ApprovalRecord } from './approval-record.ts'

/**
 * Why a decision cannot be made about an approval any more, in a sentence; `undefined` when it can, or when it is what was decided.
 * Whoever wants more than what was decided must not believe to have it.
 */
export function objectionTo(
  {
    id,
    status,
    decision,
  }: Pick<ApprovalRecord, 'id' | 'status'> & {
    readonly decision?: { readonly decision: string; readonly by?: string } | undefined
  },
  wanted: string,
): string | undefined {
  if (status === 'withdrawn') return `${id} is no longer pending, because its session continued without it`
  if (decision === undefined || isMet(decision.decision, wanted)) return undefined
  const word = Object.hasOwn(words, decision.decision) ? words[decision.decision] : 'rejected'
  return `${id} was already ${word} by ${decision.by ?? 'somebody'}. The first decision applies`
}

/** What is approved for the session is approved; every other word is its own. */
function isMet(decision: string, wanted: string): boolean {
  return decision === wanted || (decision === 'approve-session' && wanted === 'approve')
}

const words: Readonly<Record<string, string>> = {
  approve: 'approved once',
  'approve-session': 'approved for its session',
  again: 'run again',
  done: 'recorded as done',
  leave: 'left as it is',
}
