import type { Notice, Report } from '../ports/report.ts'
import type { SessionState } from '../session/session-state.ts'

/** Returns a notice for each budget that refused calls in a session. */
export function refusedCallNotices({ refusedByBudget }: SessionState): Notice[] {
  return [...refusedByBudget].map(([reason, count]) => ({
    code: 'budget',
    message: `${count === 1 ? '1 call was' : `${count} calls were`} denied: ${reason}`,
  }))
}

/** Returns the notices about budgets in a child and below it, for the report of its parent. */
export function budgetNoticesInSubtree({ agent, notices = [] }: Report): Notice[] {
  return notices
    .filter(({ code }) => code === 'budget' || code === 'budget_exceeded')
    .map(({ message }) => ({ code: 'budget', message: `${agent}: ${message}` }))
}

/** Removes notices that the session already has: one budget can stop many children for the same reason. */
export function newNotices({ notices }: SessionState, told: readonly Notice[]): Notice[] {
  return told.filter(({ message }) => notices.every((one) => one.message !== message))
}
