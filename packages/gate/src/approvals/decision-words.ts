/**
 * The answers to a session's questions, and the words that people use for them. A pending call is approved or rejected. The
 * answers for a call in doubt are again, done and leave: approving means again, rejecting means leave.
 */
import { isPermission } from '@cadre/core'
import type { ApprovalRecord } from './approval-record.ts'

type Asked = Pick<ApprovalRecord, 'type'>

export function isDoubt({ type }: Asked): boolean {
  return type === 'in_doubt'
}

/** The answer that corresponds to approving or rejecting. `wasDone`: a call in doubt was carried out. */
export function answerFor(record: Asked, decision: 'approve' | 'reject', wasDone = false): string {
  if (!isDoubt(record)) return decision
  if (wasDone) return 'done'
  return decision === 'approve' ? 'again' : 'leave'
}

/** The words for each decision in a file. Cadre writes the first one. */
const approvalWords = { APPROVED: 'approve', REJECTED: 'reject' }
const doubtWords = { AGAIN: 'again', DONE: 'done', LEAVE: 'leave', APPROVED: 'again', REJECTED: 'leave' }

/** The words that Cadre offers. */
export function offeredWords(record: Asked): readonly string[] {
  return isDoubt(record) ? ['AGAIN', 'DONE', 'LEAVE'] : ['APPROVED', 'REJECTED']
}

/** The decision that a word in a file stands for; `undefined` for any other word. */
export function parseDecisionWord(record: Asked, word: string): string | undefined {
  const words: Readonly<Record<string, string>> = isDoubt(record) ? doubtWords : approvalWords
  const wanted = word.toUpperCase()
  return Object.hasOwn(words, wanted) ? words[wanted] : undefined
}

export function decisionWord(record: Asked, decision: string): string {
  if (isDoubt(record)) return decision === 'again' || decision === 'done' ? decision.toUpperCase() : 'LEAVE'
  return isPermission(decision) ? 'APPROVED' : 'REJECTED'
}

/** Whether a text contains one of these words. */
export const anyDecisionWord = /\b(?:approved|rejected|again|done|leave)\b/i
