/**
 * The answers to the questions of a session, and how people give them. A call that waits for approval is approved or rejected.
 * A call in doubt is run again, was done, or is left as it is: to approve one is to run it again, to reject one is to leave it.
 */
import type { ApprovalRecord } from './approval-record.ts'

type Asked = Pick<ApprovalRecord, 'type'>

export function isDoubt({ type }: Asked): boolean {
  return type === 'in_doubt'
}

/** What a person means who approves or rejects. `wasDone`: they say that a call in doubt was carried out. */
export function answerFor(record: Asked, decision: 'approve' | 'reject', wasDone = false): string {
  if (!isDoubt(record)) return decision
  if (wasDone) return 'done'
  return decision === 'approve' ? 'again' : 'leave'
}

/** Whether an answer lets the call have its effect, or says that it had it. */
export function isApproval(decision: string): boolean {
  return decision.startsWith('approve') || decision === 'again' || decision === 'done'
}

/** The words for a decision in a file, by what they mean. The first of a meaning is the one that Cadre writes. */
const approvalWords = { APPROVED: 'approve', REJECTED: 'reject' }
const doubtWords = { AGAIN: 'again', DONE: 'done', LEAVE: 'leave', APPROVED: 'again', REJECTED: 'leave' }

/** The words that Cadre offers. */
export function offeredWords(record: Asked): readonly string[] {
  return isDoubt(record) ? ['AGAIN', 'DONE', 'LEAVE'] : ['APPROVED', 'REJECTED']
}

/** What a word in a file means; nothing when it is none of those that count. */
export function decisionOfWord(record: Asked, word: string): string | undefined {
  const words: Readonly<Record<string, string>> = isDoubt(record) ? doubtWords : approvalWords
  const wanted = word.toUpperCase()
  return Object.hasOwn(words, wanted) ? words[wanted] : undefined
}

export function wordOfDecision(record: Asked, decision: string): string {
  if (isDoubt(record)) return decision === 'again' || decision === 'done' ? decision.toUpperCase() : 'LEAVE'
  return isApproval(decision) ? 'APPROVED' : 'REJECTED'
}

/** One of these is somewhere in a text. */
export const anyWord = /\b(?:approved|rejected|again|done|leave)\b/i
