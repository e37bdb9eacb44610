import type { Report, StoredSession } from '@cadre/core'
import type { ApprovalRecord } from '@cadre/gate'
import type { DelegatedRun } from './delegated-run.ts'

/** A run's state, as an outside program sees it. */
export type RunState =
  /** Accepted; its process has not recorded anything yet. */
  | { readonly kind: 'starting' }
  /** The run could not start, or could not continue. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'running'; readonly pid: number }
  /** The run is suspended until a person decides these approvals. */
  | { readonly kind: 'waiting'; readonly approvals: readonly ApprovalRecord[] }
  /** The run has work to do, but no process is running it. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'ended'; readonly report: Report | undefined; readonly outcome: string }

/** A run and its entry session's record, once it exists. */
export interface KnownRun {
  readonly id: string
  readonly state: RunState
  readonly stored?: StoredSession
  /** Absent if a person started the run. */
  readonly delegatedRun?: DelegatedRun
  /** The folder is not trusted, so the agents are read-only. */
  readonly untrusted?: boolean
}
