import { type Answer, CadreError } from '@cadre/core'
import { type ApprovalRecord, approvalJson, type Decided, objectionTo, voteText } from '@cadre/gate'
import { personName } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { nextStepText } from '../../run/next-step-text.ts'
import type { OpenedApprovals } from './open-approvals.ts'

export interface DecideFlags {
  readonly home?: string
  readonly trust?: boolean
  readonly json?: boolean
}

/** Records a decision of the person who typed the command, and reports which decision applies. */
export async function decideByCommand(
  io: Io,
  { engine, home }: OpenedApprovals,
  record: ApprovalRecord,
  wanted: Pick<Answer, 'decision' | 'reason'>,
  flags: DecideFlags,
): Promise<ExitCode> {
  const { id, session, root } = record
  rejectDecided(record, wanted.decision)
  const by = personName(io.env)
  const said = { ...wanted, ...(by !== undefined && { by }) }
  const { kind, answer, record: now } = await decide(engine, record, said)
  if (now.need !== undefined && kind !== 'recorded')
    return reportVote(io, { kind, answer, record: now }, flags)
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
      ? nextStepText(home, root, flags)
      : 'The process that runs the session applies the decision. If no process is running it, Cadre applies the decision when you resume the session.'
  io.stdout.write(`${cleanLine(`${word} ${id}.`)} ${next}\n`)
  return exitCodes.done
}

/** Decides as the system user, and closes the engine. */
async function decide(
  { approvals, close }: OpenedApprovals['engine'],
  record: ApprovalRecord,
  answer: Answer,
): Promise<Decided> {
  try {
    return await approvals.decide(record, answer, approvals.voters.here('command'))
  } finally {
    await close()
  }
}

/** The vote counts, and others must still vote. */
function reportVote(io: Io, { kind, answer, record }: Decided, { json }: DecideFlags): ExitCode {
  const { id, session, root } = record
  const isRecorded = kind === 'voted'
  if (json) {
    const { needed, votes } = approvalJson(record)
    const { decision, by } = answer
    const voted = { type: 'voted', id, session, root, decision, by, recorded: isRecorded, needed, votes }
    io.stdout.write(`${JSON.stringify(voted)}\n`)
  } else
    io.stdout.write(
      isRecorded
        ? `${cleanLine(voteText(record))}\n`
        : 'Cadre stored your vote. The process that runs the session counts it. If no process is running it, Cadre counts the vote when you resume the session.\n',
    )
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
