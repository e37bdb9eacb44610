import type { Approval, Vote } from '@cadre/api'
import type { RecordedVote } from '@cadre/core'
import type { ApprovalRecord } from '@cadre/gate'
import type { ApiContext, Objections } from '../api-context.ts'

/** An approval with everything that a person needs in order to decide, in full length. */
export async function approvalView(
  record: ApprovalRecord,
  context: Pick<ApiContext, 'sessions'>,
  objections: Objections = async () => undefined,
): Promise<Approval> {
  const { decision, risk, need, votes, ...rest } = record
  const stored = await context.sessions.read(record.session)
  const objection = await objections(record)
  return {
    ...rest,
    chain: stored?.spec.chain ?? [record.agent],
    risk: risk ?? null,
    ...(decision?.by !== undefined && { decidedBy: decision.by }),
    ...(decision !== undefined && { decidedAt: decision.at }),
    ...(decision?.reason !== undefined && { reason: decision.reason }),
    ...(need && { needed: need }),
    votes: votes.map(voteView),
    ...(objection !== undefined && { objection }),
  }
}

export function voteView({ by, via, decision, reason, at }: RecordedVote): Vote {
  return { by, via, decision, at, ...(reason !== undefined && { reason }) }
}
