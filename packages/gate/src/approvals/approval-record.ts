import { createHash } from 'node:crypto'
import { type ApprovalRequirement, isPermission, type Json, type RecordedVote, type Risk } from '@cadre/core'

/** An approval that a person must decide or has decided. The session's journal is the source of truth. */
export interface ApprovalRecord {
  /** The id, which is also its file's name. */
  readonly id: string
  readonly session: string
  /** The run's entry session, which can be resumed. */
  readonly root: string
  /** The question's name in the session. */
  readonly question: string
  readonly call: string
  readonly agent: string
  /** The session's work, in one line. */
  readonly task?: string
  /** What the agent wrote in the reply that contains the call. A model wrote this text: mark it as such. */
  readonly purpose?: string
  /** `terminal_command`, `file_write`, `slack_send`, the tool's name, or `in_doubt`. */
  readonly type: string
  /** The exact action. */
  readonly action: string
  /** The call's arguments that the action does not show. */
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
  /** Set if a policy requires several people. Otherwise the first decision applies. */
  readonly need?: ApprovalRequirement
  /** Each voter's last vote. Empty if the first decision applies. */
  readonly votes: readonly RecordedVote[]
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
  const { need, votes } = record
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
    ...(need !== undefined && {
      needed: { quorum: need.quorum, roles: [...need.roles], notByStarter: need.notByStarter },
      votes: votes.map(({ by, via, decision: said, reason, at }) => ({
        by,
        via,
        decision: said,
        ...(reason !== undefined && { reason }),
        at,
      })),
    }),
    ...(decision?.by !== undefined && { decidedBy: decision.by }),
    ...(decision !== undefined && { decidedAt: decision.at }),
    ...(decision?.reason !== undefined && { reason: decision.reason }),
  }
}

/** The people whose approvals count so far. */
export function approversOf({ votes }: Pick<ApprovalRecord, 'votes'>): string[] {
  return votes.filter(({ decision }) => isPermission(decision)).map(({ by }) => by)
}

/** `1 of 2: ann`, or `undefined` if the first decision applies. */
export function countText(record: Pick<ApprovalRecord, 'need' | 'votes'>): string | undefined {
  if (record.need === undefined) return undefined
  const names = approversOf(record)
  return `${names.length} of ${record.need.quorum}${names.length === 0 ? '' : `: ${names.join(', ')}`}`
}
