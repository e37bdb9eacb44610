import { type Answer, CadreError } from '@cadre/core'
import type { ApprovalRecord } from '@cadre/gate'
import { personName } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { nextText } from '../../run/next-text.ts'
import type { OpenedApprovals } from './open-approvals.ts'

export interface DecideFlags {
  readonly home?: string
  readonly trust?: boolean
  readonly json?: boolean
}

/** Records a decision of the person who typed the command, and says what counts. */
export async function decideApproval(
  io: Io,
  { engine, home }: OpenedApprovals,
  record: ApprovalRecord,
  wanted: Pick<Answer, 'decision' | 'reason'>,
  flags: DecideFlags,
): Promise<ExitCode> {
  const { id, session, root } = record
  refuseDecided(record, wanted.decision)
  const by = personName(io.env)
  const { kind, answer } = await engine.approvals.decide(record, {
    ...wanted,
    ...(by !== undefined && { by }),
  })
  await engine.close()
  refuseDecided({ ...record, decision: { ...answer, at: '' } }, wanted.decision)
  const { decision } = answer
  if (flags.json) {
    const decided = {
      type: 'decided',
      id,
      session,
      root,
      decision,
      by: answer.by,
      recorded: kind === 'recorded',
    }
    io.stdout.write(`${JSON.stringify(decided)}\n`)
    return exitCodes.done
  }
  const word = said[decision] ?? 'Rejected'
  const next =
    kind === 'recorded'
      ? nextText(home, root, flags)
      : 'Whoever runs the session finds it; if nobody does, it counts when the session is resumed.'
  io.stdout.write(`${cleanLine(`${word} ${id}.`)} ${next}\n`)
  return exitCodes.done
}

const said: Readonly<Record<string, string>> = {
  approve: 'Approved',
  'approve-session': 'Approved',
  again: 'Runs again:',
  done: 'Recorded as done:',
  leave: 'Left as it is:',
}

function refuseDecided({ id, status, decision }: ApprovalRecord, wanted: string): void {
  if (status === 'withdrawn')
    throw new CadreError('usage', `${id} needs no decision any more: its session went on without it`)
  if (decision !== undefined && !isMet(decision.decision, wanted)) throw decidedBefore(id, decision)
  // Whoever wants more than what counts must not believe to have it.
  if (decision?.decision === 'approve' && wanted === 'approve-session') throw decidedBefore(id, decision)
}

/** `approve` and `approve-session` are the same decision; every other word is its own. */
function isMet(decision: string, wanted: string): boolean {
  return decision === wanted || (decision.startsWith('approve') && wanted.startsWith('approve'))
}

function decidedBefore(id: string, { decision, by }: Answer): CadreError {
  const word =
    {
      approve: 'approved once',
      'approve-session': 'approved for its session',
      again: 'run again',
      done: 'recorded as done',
      leave: 'left as it is',
    }[decision] ?? 'rejected'
  return new CadreError('usage', `${id} was ${word} by ${by ?? 'somebody'} before; the first decision counts`)
}
