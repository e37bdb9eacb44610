import { createHash } from 'node:crypto'
import type { Json, Risk } from '@cadre/core'

/** An approval that a person has to decide or has decided. The session's journal is the truth about it. */
export interface ApprovalRecord {
  /** The id, which is also the name of its file. */
  readonly id: string
  readonly session: string
  /** The entry session of its run, which can be resumed. */
  readonly root: string
  /** The name of the question in the session. */
  readonly question: string
  readonly call: string
  readonly agent: string
  /** The work of the session, in one line. */
  readonly task?: string
  /** What the agent wrote in the reply that contains the call. This is model text: show it as such. */
  readonly purpose?: string
  /** `terminal_command`, `file_write`, `slack_send`, the tool's name, or `in_doubt`. */
  readonly type: string
  /** Exactly what will be done. */
  readonly action: string
  /** Arguments of the call that the action does not show. */
  readonly more: readonly (readonly [name: string, value: string])[]
  readonly risk: Risk | undefined
  readonly reasons: readonly string[]
  /** Why approval is needed, and which rule requires it. */
  readonly why: string
  readonly grants: readonly string[]
  readonly choices: readonly string[]
  readonly created: string
  readonly status: ApprovalStatus
  readonly decision?: ApprovalDecision
}

/** `withdrawn`: the call was settled without a decision. */
export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'withdrawn'

export interface ApprovalDecision {
  readonly decision: string
  readonly by?: string
  readonly reason?: string
  readonly at: string
}

/** Returns the id of a question: always the same for the same question. */
export function approvalId(session: string, question: string, created: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([session, question, created]))
    .digest('hex')
  const time = Date.parse(created)
  return `approval-${Number.isNaN(time) ? 0 : time}-${digest.slice(0, 8)}`
}

/** The output of `approvals --json`. */
export function approvalJson(record: ApprovalRecord): { readonly [key: string]: Json } {
  const { id, session, call, agent, type, action, risk = null, reasons, created, status, decision } = record
  return {
    id,
    session,
    call,
    agent,
    type,
    action,
    risk,
    reasons,
    created,
    status,
    ...(decision?.by !== undefined && { decidedBy: decision.by }),
    ...(decision !== undefined && { decidedAt: decision.at }),
    ...(decision?.reason !== undefined && { reason: decision.reason }),
  }
}
