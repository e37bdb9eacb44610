import type { Budget } from './agent.ts'

/** Ceilings of a whole run. */
export interface RunLimits {
  /** Delegations below each other: an entry session is at depth 0. */
  readonly depth: number
  /** Delegated sessions working at once; more are queued. */
  readonly concurrency: number
  readonly sessions: number
  /** Rounds per session, where the agent says nothing. */
  readonly maxRounds: number
  /** Milliseconds a delegation may be active, where neither the call nor the agent says anything. */
  readonly timeLimit: number
  readonly budget?: Budget
}

/** The lower one of each. What no ceiling is set for stays as it is. */
export function withinCeilings(limits: RunLimits, ceilings: Partial<RunLimits>): RunLimits {
  const budget = lowestBudget(limits.budget, ceilings.budget)
  return {
    depth: lowest(limits.depth, ceilings.depth),
    concurrency: lowest(limits.concurrency, ceilings.concurrency),
    sessions: lowest(limits.sessions, ceilings.sessions),
    maxRounds: lowest(limits.maxRounds, ceilings.maxRounds),
    timeLimit: lowest(limits.timeLimit, ceilings.timeLimit),
    ...(budget && { budget }),
  }
}

function lowestBudget(budget: Budget | undefined, ceiling: Budget | undefined): Budget | undefined {
  if (budget === undefined || ceiling === undefined) return budget ?? ceiling
  const both: { -readonly [key in keyof Budget]: Budget[key] } = { ...budget }
  for (const key of ['tokens', 'cost', 'calls'] as const) {
    const most = ceiling[key]
    if (most !== undefined) both[key] = lowest(both[key] ?? most, most)
  }
  return both
}

/** The lower one; the ceiling also where a file holds something that is no number. */
export function lowest(value: number, ceiling: number | undefined): number {
  if (ceiling === undefined) return value
  return typeof value === 'number' && value <= ceiling ? value : ceiling
}

export const defaultLimits: RunLimits = {
  depth: 3,
  concurrency: 8,
  sessions: 1_000,
  maxRounds: 30,
  timeLimit: 300_000,
}

/** How often a session is asked to mend its end before it is taken as it is. */
export const nudgeLimits = { report: 2, empty: 1, sections: 3, truncated: 2, stop: 8 } as const
