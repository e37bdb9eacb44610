import { type Answer, CadreError, isPermission } from '@cadre/core'
import { type ApprovalRecord, answerFor, isDoubt, objectionTo, requirePerson, voteText } from '@cadre/gate'
import type { DelegatedRuns } from './delegated-runs.ts'

export interface HostDecision {
  readonly delegatedRuns: DelegatedRuns
  readonly environment: NodeJS.ProcessEnv
  readonly approval: string
}

/** Records a host's decision, and resumes the run. Rejects if only a person on this machine may decide. */
export async function decideForHost(
  { delegatedRuns, environment, approval }: HostDecision,
  wanted: Answer & { readonly decision: 'approve' | 'reject' },
): Promise<string> {
  const { home, sessions } = delegatedRuns
  const { approvals } = sessions.engine
  requirePerson(home, environment)
  const record = (await approvals.list({ all: true })).find(({ id }) => id === approval)
  if (record === undefined)
    throw new CadreError(
      'not_found',
      `there is no approval ${JSON.stringify(approval)}. Call list_approvals.`,
    )
  const objection = await reasonHostMayNotDecide(record, delegatedRuns, wanted.decision)
  if (objection !== undefined) throw new CadreError('policy', objection)
  const said = { ...wanted, decision: answerFor(record, wanted.decision) }
  const {
    kind,
    answer,
    record: now,
  } = await approvals.decide(record, said, approvals.voters.here('protocol'))
  if (kind === 'voted') return `${voteText(now)}\nNext: call wait_for_run with run "${record.root}".`
  const late = objectionTo({ ...record, decision: answer }, answerFor(record, wanted.decision))
  if (late !== undefined) throw new CadreError('usage', `${late}.`)
  await delegatedRuns.resume(record.root)
  const word = isPermission(answer.decision) ? 'Approved' : 'Rejected'
  return `${word} ${record.id}.\nNext: call wait_for_run with run "${record.root}".`
}

/** Returns the reason why a host may not make this decision, as a sentence, or undefined if it may. */
export async function reasonHostMayNotDecide(
  record: ApprovalRecord,
  { sessions, isDelegated }: DelegatedRuns,
  decision: string,
): Promise<string | undefined> {
  const byPerson = `Ask the person to decide in a terminal: cadre approve ${record.id}`
  if (!isDelegated(record.root))
    return `a person started run ${record.root}, so only a person may decide its approvals. ${byPerson}`
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
    ? `a rule requires a person's approval for this action. ${byPerson}`
    : undefined
}
