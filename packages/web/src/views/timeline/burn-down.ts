import { type Budget, nothingCounted, type SessionView, type SpentBudget } from '@cadre/core'
import { timeInMs } from './segments.ts'

/** An amount spent from a budget, and when. */
export interface Spending {
  readonly at: number
  readonly tokens: number
  readonly cost: number
  readonly calls: number
}

export type BudgetPart = 'tokens' | 'cost' | 'calls'

export interface BurnDown {
  readonly part: BudgetPart
  /** The budget. */
  readonly most: number
  readonly used: number
  /** The remaining budget after each spending. */
  readonly line: readonly { readonly at: number; readonly left: number }[]
  /** When the budget runs out at the current rate. In the past if it has already run out. Absent if this cannot be predicted. */
  readonly refusesAt?: number
}

/** Everything that the sessions have spent, in chronological order. */
export function spendingsOf(sessions: Iterable<SessionView>): Spending[] {
  const all: Spending[] = []
  for (const { rounds } of sessions) {
    let counted: SpentBudget = nothingCounted
    for (const { repliedAt, usage, spent, toolCalls } of rounds) {
      const replied = timeInMs(repliedAt)
      // What the budget has counted since the last reply includes requests whose usage is unknown.
      const tokens = spent ? spent.tokens - counted.tokens : usage ? usage.input + usage.output : 0
      const cost = spent ? spent.cost - counted.cost : (usage?.cost ?? 0)
      counted = spent ?? counted
      if (replied !== undefined && (tokens > 0 || cost > 0)) all.push({ at: replied, tokens, cost, calls: 0 })
      for (const { startedAt } of toolCalls) {
        const started = timeInMs(startedAt)
        if (started !== undefined) all.push({ at: started, tokens: 0, cost: 0, calls: 1 })
      }
    }
  }
  return all.sort((a, b) => a.at - b.at)
}

/** Adds what the budget counts and no reply shows, such as a request that failed or a task, so that the line ends where the budget is. */
export function untilCounted(
  spendings: readonly Spending[],
  spent: SpentBudget | undefined,
  at: number,
): readonly Spending[] {
  if (spent === undefined) return spendings
  const left = (part: BudgetPart) =>
    Math.max(0, spent[part] - spendings.reduce((sum, spending) => sum + spending[part], 0))
  const rest = { at, tokens: left('tokens'), cost: left('cost'), calls: left('calls') }
  // Sums of fractions differ in the last digits.
  return rest.tokens > 0 || rest.calls > 0 || rest.cost > 1e-9 ? [...spendings, rest] : spendings
}

export interface BurnDownOptions {
  readonly budget: Budget
  readonly spendings: readonly Spending[]
  readonly from: number
  readonly now: number
  /** False if the run has ended, so that nothing more will be spent. */
  readonly isRunning: boolean
}

/** The burn-down of each part of a budget, and when Cadre will start to deny requests. */
export function burnDown({ budget, spendings, from, now, isRunning }: BurnDownOptions): BurnDown[] {
  return (['tokens', 'cost', 'calls'] as const).flatMap((part): BurnDown[] => {
    const most = budget[part]
    if (most === undefined) return []
    let used = 0
    let emptyAt: number | undefined
    const line = [{ at: from, left: most }]
    for (const spending of spendings) {
      if (spending[part] === 0) continue
      used += spending[part]
      line.push({ at: spending.at, left: Math.max(0, most - used) })
      if (used >= most) emptyAt ??= spending.at
    }
    const refusesAt = emptyAt ?? (isRunning ? predicted(line, most, now) : undefined)
    return [{ part, most, used, line, ...(refusesAt !== undefined && { refusesAt }) }]
  })
}

/** Extrapolates the more recent half of the line, which shows the current rate best. Time without spending is included. */
function predicted(line: BurnDown['line'], most: number, now: number): number | undefined {
  const last = line.at(-1)
  if (last === undefined || last.left === most) return undefined
  const start = line[Math.floor((line.length - 1) / 2)] ?? last
  const [spent, took] = [start.left - last.left, now - start.at]
  if (spent <= 0 || took <= 0) return undefined
  return now + (last.left / spent) * took
}

/** The part of the budget that runs out first. */
export function firstToRefuse(parts: readonly BurnDown[]): BurnDown | undefined {
  return parts
    .filter((part) => part.refusesAt !== undefined)
    .sort((a, b) => (a.refusesAt ?? 0) - (b.refusesAt ?? 0))[0]
}
