import { type Answer, CadreError } from '@cadre/core'
import { type ApprovalRecord, objectionTo } from '@cadre/gate'
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

/** Records a decision of the person who typed the command, and reports which decision applies. */
export async function decideApproval(
  io: Io,
  { engine, home }: OpenedApprovals,
  record: ApprovalRecord,
  wanted: Pick<Answer, 'decision' | 'reason'>,
  flags: DecideFlags,
): Promise<ExitCode> {
  const { id, session, root } = record
  rejectDecided(record, wanted.decision)
  const by = personName(io.env)
  const { kind, answer } = await engine.approvals.decide(record, {
    ...wanted,
    ...(by !== undefined && { by }),
  })
  await engine.close()
  rejectDecided({ ...record, decision: answer }, wanted.decision)
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
  const word = decisionLabels[decision] ?? 'Rejected'
  const next =
    kind === 'recorded'
      ? nextText(home, root, flags)
      : 'The process that runs the session applies the decision. If none is running, it applies when the session is resumed.'
  io.stdout.write(`${cleanLine(`${word} ${id}.`)} ${next}\n`)
  return exitCodes.done
}

const decisionLabels: Readonly<Record<string, string>> = {
  approve: 'Approved',
  'approve-session': 'Approved',
  again: 'Will run again:',
  done: 'Recorded as done:',
  leave: 'Will not run again:',
}

function rejectDecided(record: Parameters<typeof objectionTo>[0], wanted: string): void {
  const objection = objectionTo(record, wanted)
  if (objection !== undefined) throw new CadreError('usage', objection)
}
