import { isSessionId } from '../home/session-id.ts'
import type { QuestionTarget } from './approvals/approval-item.ts'

/** Command arguments come from view items, links and buttons: anything malformed is rejected. */

export function sessionOf(argument: unknown): string | undefined {
  const value = fieldOf(argument, 'session')
  return isSessionId(value) ? value : undefined
}

export function questionOf(argument: unknown): QuestionTarget | undefined {
  const session = sessionOf(argument)
  const question = fieldOf(argument, 'question')
  if (session === undefined || typeof question !== 'string' || !isQuestion(question)) return undefined
  return { session, question }
}

/** A question about an interrupted call has other answers. */
export function isInterruptedCallQuestion({ question }: QuestionTarget): boolean {
  return question.startsWith('doubt/')
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

function isQuestion(name: string): boolean {
  return /^(?:approval|doubt)\/[^\p{Cc}\p{Cs}]{1,500}$/u.test(name)
}
