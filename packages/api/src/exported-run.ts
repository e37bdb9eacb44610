import type { Entry } from '@cadre/core'
import type { SessionDetail } from './answers.ts'
import type { Approval } from './approval.ts'
import type { CallDetail } from './call-detail.ts'

/** A run that `cadre open --export` writes to one file. Secrets are masked. */
export interface ExportedRun {
  readonly format: 1
  /** The version of Cadre that wrote it. */
  readonly version: string
  readonly exportedAt: string
  /** The entry session. */
  readonly root: string
  /** The session that the page shows first. */
  readonly shown: string
  /** Parents before children. */
  readonly sessions: readonly ExportedSession[]
  readonly approvals: readonly Approval[]
}

export interface ExportedSession {
  readonly detail: SessionDetail
  readonly entries: readonly Entry[]
  /** Only calls that have a commit or a patch. The entries contain all other data. */
  readonly calls: readonly CallDetail[]
}
