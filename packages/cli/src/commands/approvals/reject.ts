import { answerFor } from '@cadre/gate'
import type { ExitCode } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { withDaemonHint } from '../engine/daemon-hint.ts'
import { type DecideFlags, decideByCommand } from './decide-by-command.ts'
import { findApproval, openApprovals } from './open-approvals.ts'

/** `cadre reject`. */
export async function rejectCall(
  io: Io,
  flags: DecideFlags & { readonly reason?: string },
  wanted: string,
): Promise<ExitCode> {
  const opened = await openApprovals(io, flags)
  const record = await withDaemonHint(io, opened.home, () => findApproval(opened, wanted))
  const reason = flags.reason?.trim()
  const decision = answerFor(record, 'reject')
  return decideByCommand(io, opened, record, { decision, ...(reason && { reason }) }, flags)
}
