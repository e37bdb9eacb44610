import type { DecidedBy, OutcomeKind, Risk } from '@cadre/core'

/** The gate's decision for a call, and who approved it. */
export interface Verdict {
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly by: DecidedBy
  readonly rule?: string
  readonly reason?: string
  readonly risk?: Risk
  readonly reasons?: readonly string[]
}

export interface CallDetail {
  readonly id: string
  readonly session: string
  readonly agent: string
  readonly tool: string
  /** The JSON that the model wrote. */
  readonly input: string
  /** The input that ran, if a hook or a rule changed it. */
  readonly ran?: string
  readonly verdict?: Verdict
  /** The person's decision, if Cadre asked one. */
  readonly person?: {
    readonly decision: string
    readonly by?: string
    readonly at: string
    readonly reason?: string
  }
  readonly status: 'pending' | 'running' | 'waiting' | OutcomeKind
  readonly asked: string
  readonly started?: string
  readonly settled?: string
  readonly content?: string
  readonly code?: string
  /** The session that a delegation started. */
  readonly child?: string
  /** The commit in the session's own workspace that contains its changes. */
  readonly commit?: string
  /** An edit's change, as a patch. */
  readonly patch?: string
}
