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

export const defaultLimits: RunLimits = {
  depth: 3,
  concurrency: 8,
  sessions: 1_000,
  maxRounds: 30,
  timeLimit: 300_000,
}

/** How often a session is asked to mend its end before it is taken as it is. */
export const nudgeLimits = { report: 2, empty: 1, sections: 3, truncated: 2 } as const
