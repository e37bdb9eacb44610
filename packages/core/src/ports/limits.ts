import type { Budget } from './agent.ts'

/** The limits of a whole run. */
export interface RunLimits {
  /** The maximum depth of nested delegations. An entry session has depth 0. */
  readonly depth: number
  /** How many delegated sessions may run at the same time. Others are queued. */
  readonly concurrency: number
  readonly sessions: number
  /** Rounds per session, unless the agent sets `maxTurns`. */
  readonly maxRounds: number
  /** How many milliseconds a delegation may be active, unless the call or the agent sets a limit. */
  readonly timeLimit: number
  /** A session ends after this many calls in a row with the same input and the same outcome. 0 disables the limit. */
  readonly identicalCalls: number
  readonly budget?: Budget
}

/** Lowers each limit to its ceiling. Limits without a ceiling stay unchanged. */
export function withinCeilings(limits: RunLimits, ceilings: Partial<RunLimits>): RunLimits {
  const budget = lowestBudget(limits.budget, ceilings.budget)
  return {
    ...lowestOfEach(limits, ceilings),
    identicalCalls: lowestCount(limits.identicalCalls, ceilings.identicalCalls),
    ...(budget && { budget }),
  }
}

/** Lowers every number that has a ceiling, so that a new limit needs no code here. A missing number becomes its ceiling. */
function lowestOfEach<T extends object>(values: T, ceilings: Partial<T>): T {
  const lowest = { ...values }
  for (const key of Object.keys(ceilings) as (keyof T)[]) {
    const ceiling = ceilings[key]
    if (typeof ceiling === 'number') lowest[key] = withCeiling(values[key] as number, ceiling) as T[keyof T]
  }
  return lowest
}

/** Like `withCeiling`, where 0 means that there is no limit. */
function lowestCount(value: number, ceiling: number | undefined): number {
  if (ceiling === undefined || ceiling === 0) return value
  return value === 0 ? ceiling : withCeiling(value, ceiling)
}

function lowestBudget(budget: Budget | undefined, ceiling: Budget | undefined): Budget | undefined {
  return budget === undefined || ceiling === undefined ? (budget ?? ceiling) : lowestOfEach(budget, ceiling)
}

/** The lower of the two. If the value in a file is not a number, the ceiling. */
export function withCeiling(value: number, ceiling: number | undefined): number {
  if (ceiling === undefined) return value
  return typeof value === 'number' && value <= ceiling ? value : ceiling
}

export const defaultLimits: RunLimits = {
  depth: 3,
  concurrency: 8,
  sessions: 1_000,
  maxRounds: 30,
  timeLimit: 300_000,
  identicalCalls: 20,
}

/** How many times Cadre asks a session to correct its ending before it accepts the ending unchanged. */
export const nudgeLimits = { report: 2, empty: 1, sections: 3, schema: 3, truncated: 2, stop: 8 } as const
