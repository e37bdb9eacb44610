import type { Report, StoredSession } from '@cadre/core'
import type { ApprovalRecord } from '@cadre/gate'
import type { Delegation } from './delegation.ts'

/** The state of a run, as a program outside sees it. */
export type RunState =
  /** Accepted; its process has not recorded anything yet. */
  | { readonly kind: 'starting' }
  /** It could not start, or could not continue. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'running'; readonly pid: number }
  /** It sleeps until a person decides these. */
  | { readonly kind: 'waiting'; readonly approvals: readonly ApprovalRecord[] }
  /** It has work to do, and no process runs it. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'ended'; readonly report: Report | undefined; readonly outcome: string }

/** A run and the record of its entry session, once there is one. */
export interface KnownRun {
  readonly id: string
  readonly state: RunState
  readonly stored?: StoredSession
  /** Absent if a person started it. */
  readonly delegation?: Delegation
  /** The folder is not trusted, so the agents are read-only. */
  readonly untrusted?: boolean
}
