import { createHash } from 'node:crypto'
import type { Json, Risk } from '@cadre/core'

/** Something a person has to decide about, or has decided. The session's journal says what is true of it. */
export interface ApprovalRecord {
  /** Also the name of its file. */
  readonly id: string
  readonly session: string
  /** The first session of its run: what is resumed. */
  readonly root: string
  /** Its name in the session. */
  readonly question: string
  readonly call: string
  readonly agent: string
  /** The work of the session, in one line. */
  readonly task?: string
  /** What the agent wrote in the reply that contains the call. It is text of a model: show it as such. */
  readonly purpose?: string
  /** `terminal_command`, `file_write`, `slack_send`, the tool's name, or `in_doubt`. */
  readonly type: string
  /** Exactly what will be done. */
  readonly action: string
  /** What the call was given, as far as the action does not say it. */
  readonly more: readonly (readonly [name: string, value: string])[]
  readonly risk: Risk | undefined
  readonly reasons: readonly string[]
  /** Why it is asked at all, and by which rule. */
  readonly why: string
  readonly grants: readonly string[]
  readonly choices: readonly string[]
  readonly created: string
  readonly status: ApprovalStatus
  readonly decision?: ApprovalDecision
}

/** `withdrawn`: the call was settled without anybody having decided. */
export type ApprovalStatus = 'pending' | 'approved' | 'rejected' | 'withdrawn'

export interface ApprovalDecision {
  readonly decision: string
  readonly by?: string
  readonly reason?: string
  readonly at: string
}

/** Of a question, whenever and wherever it is asked for: the same. */
export function approvalId(session: string, question: string, created: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([session, question, created]))
    .digest('hex')
  const time = Date.parse(created)
  return `approval-${Number.isNaN(time) ? 0 : time}-${digest.slice(0, 8)}`
}

/** `approvals --json`. */
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
