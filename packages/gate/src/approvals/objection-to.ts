import type { ApprovalRecord } from './approval-record.ts'

/**
 * Returns why an approval can no longer be decided this way, as a sentence, or undefined if it can or if the decision was
 * the same. A person who wants more than was decided must see the reason.
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
  if (status === 'withdrawn')
    return `${id} is no longer pending, because its session continued without a decision`
  if (decision === undefined || isMet(decision.decision, wanted)) return undefined
  const word = Object.hasOwn(words, decision.decision) ? words[decision.decision] : 'rejected'
  return `${id} was already ${word} by ${decision.by ?? 'an unknown user'}. The first decision applies`
}

/** `approve-session` includes `approve`; all other decisions must be equal. */
function isMet(decision: string, wanted: string): boolean {
  return decision === wanted || (decision === 'approve-session' && wanted === 'approve')
}

const words: Readonly<Record<string, string>> = {
  approve: 'approved once',
  'approve-session': 'approved for its session',
  again: 'run again',
  done: 'recorded as done',
  leave: 'not run again',
}
