import type { ProcessIdentity } from '@cadre/disk'

/** Work that a program delegated to Cadre through a protocol. Written once, before anything starts. */
export interface DelegatedRun {
  /** The entry session's id. */
  readonly id: string
  readonly work: string
  readonly agent?: string
  readonly team?: string
  readonly workspace: string
  /** True if no agent in the run may change anything. */
  readonly readOnly?: true
  /** The W3C `traceparent` of the call. */
  readonly trace?: string
  /** The program that delegated the work, by the name that it reports. */
  readonly host: string
  readonly created: string
}

/** The process that runs the work. Changes with every start. */
export interface DelegatedRunProcess {
  /** When it was started, in milliseconds since 1970. */
  readonly launched: number
  /** Absent until the process has started. */
  readonly process?: ProcessIdentity
  /** True if the process has finished and released the run. */
  readonly ended?: true
  /** Why the run could not start or continue, as a sentence. */
  readonly failed?: string
  /** True if the run was cancelled before its session existed. A process that starts later exits immediately. */
  readonly cancelled?: true
  /** True if the folder is not trusted, so that the agents are read-only. */
  readonly untrusted?: true
}

/** The maximum length of the delegated work. Longer texts belong in files. */
export const maxWorkLength = 100_000

/** The number of days for which a delegation's files are kept after its run was started, if the run has ended. */
export const retentionDays = 30

/** How many delegations have files. If there are more, the oldest are removed earlier, if their runs have ended. */
export const maxStoredRuns = 200

/** How many delegated runs of a home may run at the same time. */
export const maxParallelRuns = 8
