import type { ProcessIdentity } from '@cadre/disk'

/** Work that a program delegated to Cadre through a protocol. Written once, before anything starts. */
export interface Delegation {
  /** The id of the entry session. */
  readonly id: string
  readonly work: string
  readonly agent?: string
  readonly team?: string
  readonly workspace: string
  /** No agent of the run may change anything. */
  readonly readOnly?: true
  /** The W3C `traceparent` of the call. */
  readonly trace?: string
  /** The program that delegated the work, as it names itself. */
  readonly host: string
  readonly created: string
}

/** The process that runs a delegation. Changes with every start. */
export interface DelegationProcess {
  /** When it was started, in milliseconds since 1970. */
  readonly launched: number
  /** Absent until the process has started. */
  readonly process?: ProcessIdentity
  /** It has nothing left to do, and has released the run. */
  readonly ended?: true
  /** Why the run could not start or continue, as a sentence. */
  readonly failed?: string
  /** The folder is not trusted, so the agents are read-only. */
  readonly untrusted?: true
}

/** The most characters of the delegated work. Longer texts belong in files. */
export const maxWorkLength = 100_000

/** How many delegated runs of a home may run at the same time. */
export const maxParallelRuns = 8
