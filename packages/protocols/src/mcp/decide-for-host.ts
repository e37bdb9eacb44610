import { type Answer, CadreError } from '@cadre/core'
import { type ApprovalRecord, answerFor, isApproval, isDoubt, objectionTo, requirePerson } from '@cadre/gate'
import type { Delegations } from './delegations.ts'

export interface HostDecision {
  readonly delegations: Delegations
  readonly environment: NodeJS.ProcessEnv
  readonly approval: string
}

/** Records the decision of a host, and resumes the run. Rejects if only a person at this machine may decide. */
export async function decideForHost(
  { delegations, environment, approval }: HostDecision,
  wanted: Answer & { readonly decision: 'approve' | 'reject' },
): Promise<string> {
  const { home, sessions } = delegations
  const { approvals } = sessions.engine
  requirePerson(home, environment)
  const record = (await approvals.list({ all: true })).find(({ id }) => id === approval)
  if (record === undefined)
    throw new CadreError(
      'not_found',
      `there is no approval ${JSON.stringify(approval)}. Call list_approvals.`,
    )
  const objection = await objectionForHost(record, delegations, wanted.decision)
  if (objection !== undefined) throw new CadreError('policy', objection)
  const { answer } = await approvals.decide(record, {
    ...wanted,
    decision: answerFor(record, wanted.decision),
  })
  const late = objectionTo({ ...record, decision: answer }, answerFor(record, wanted.decision))
  if (late !== undefined) throw new CadreError('usage', `${late}.`)
  await delegations.resume(record.root)
  const word = isApproval(answer.decision) ? 'Approved' : 'Rejected'
  return `${word} ${record.id}.\nNext: call wait_for_run with run "${record.root}".`
}

/** Returns why a host may not decide about a call this way, as a sentence, or undefined if it may. */
export async function objectionForHost(
  record: ApprovalRecord,
  { sessions, isDelegated }: Delegations,
  decision: string,
): Promise<string | undefined> {
  const byPerson = `Ask the person to decide in a terminal: cadre approve ${record.id}`
  if (!isDelegated(record.root))
    return `a person started run ${record.root}, so a person decides about it. ${byPerson}`
  const late = objectionTo(record, decision)
  if (late !== undefined) return `${late}.`
  if (isDoubt(record)) return `only a person can tell whether an interrupted call took effect. ${byPerson}`
  const { entries } = await sessions.read(record.session)
  const isFirm = entries.some(
    (entry) =>
      entry.role === 'event' &&
      entry.type === 'call.held' &&
      entry.call === record.call &&
      entry['firm'] === true,
  )
  return isFirm && decision === 'approve'
    ? `a rule requires the approval of a person for this action. ${byPerson}`
    : undefined
}
