import type { Report } from '../ports/report.ts'
import type { StopReason } from '../tree/tree.ts'
import type { TeamState } from './session-state.ts'

/** The teammates of a running session that leads a team. `Teammates` implements it. */
export interface LedTeammates {
  /** The number of running teammates. */
  readonly working: number
  /** True if the lead must not end yet: teammates are running, or the lead has not received all their results. */
  readonly isBusy: boolean
  /** Updates the teammates from the record of the lead: starts new ones, resumes known ones, and stops removed ones. */
  update(): Promise<void>
  /** Resolves when the lead has a message, when no teammate is running, or when the lead is stopped. */
  settled(): Promise<void>
  /** Throws the error that prevents a teammate from ending: a pending question to a person, or an unusable record. */
  requireEnds(): void
  /** The last replies of teammates that the lead has not received. */
  takeResults(): readonly TeammateResult[]
  /** Messages that will not be delivered, by teammate. */
  undelivered(): readonly { readonly name: string; readonly team: string; readonly count: number }[]
  /** Stops the members of a team permanently, and returns their reports. */
  disband(team: TeamState): Promise<readonly Report[]>
  /** Starts no more teammates, and resolves when none is running. With a reason, stops the running ones. */
  stop(reason?: StopReason): Promise<readonly Report[]>
}

/** A result of a teammate for its lead. */
export interface TeammateResult {
  readonly name: string
  readonly team: string
  readonly report: Report
  /** The key with which the lead records that it received the result. */
  readonly key: string
}
