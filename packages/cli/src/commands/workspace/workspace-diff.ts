import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { findWorkspace, type WorkspaceFlags } from './find-workspace.ts'

export interface DiffFlags extends WorkspaceFlags {
  readonly call?: string
  readonly stat?: boolean
}

/** `cadre workspace diff`. */
export async function showWorkspaceDiff(io: Io, flags: DiffFlags, named: string): Promise<ExitCode> {
  const { workspaces, owner } = await findWorkspace(io, flags, named)
  const { stat, patch, steps } = await workspaces.diff(owner, { call: flags.call })
  if (flags.json) {
    io.stdout.write(`${JSON.stringify({ session: owner, stat, patch, steps })}\n`)
    return exitCodes.done
  }
  const text =
    stat === '' ? `No changes in the workspace of ${owner}.\n` : flags.stat ? stat : `${stat}\n${patch}`
  // Unchanged for programs that apply it; on a screen, control characters are removed.
  io.stdout.write(io.stdout.isTTY ? `${cleanText(text)}` : text)
  return exitCodes.done
}
