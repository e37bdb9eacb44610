import { durationText, timeText } from '../../parts/format.ts'
import type { BurnDown } from './burn-down.ts'

const budgetNames = { tokens: 'token', cost: 'cost', calls: 'call' } as const

/** A sentence that says when Cadre will start to deny requests. */
export function refusalText(
  first: Pick<BurnDown, 'part' | 'used' | 'most' | 'refusesAt'> | undefined,
  now: number,
  isRunning: boolean,
  refused?: string,
): string {
  if (refused !== undefined) return `Cadre refused a request: ${refused}.`
  if (first?.refusesAt === undefined)
    return isRunning
      ? 'At the current rate, the budget will not run out, or too little has been spent to predict.'
      : 'The session is not running, and its budget has not run out.'
  const at = timeText(new Date(first.refusesAt).toISOString())
  return first.used >= first.most
    ? `The ${budgetNames[first.part]} budget ran out at ${at}. Cadre denies further requests.`
    : `At the current rate, the ${budgetNames[first.part]} budget will run out in ${durationText(first.refusesAt - now)} (${at}). Cadre will then deny requests, and large requests earlier.`
}
