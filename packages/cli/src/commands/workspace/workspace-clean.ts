import { CadreError } from '@cadre/core'
import { type CleanedWorkspaces, cleanWorkspace, reasonToKeep, requireTrustedHome } from '@cadre/runtime'
import { createWorkspaces } from '@cadre/workspaces'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { findWorkspace, type WorkspaceFlags } from './find-workspace.ts'

export interface CleanFlags extends WorkspaceFlags {
  readonly force?: boolean
  readonly ignored?: boolean
}

/** `cadre workspace clean`. */
export async function cleanWorkspaces(io: Io, flags: CleanFlags, named?: string): Promise<ExitCode> {
  if (flags.force && named === undefined)
    throw new CadreError('usage', '--force discards changes, so you must name a session.')
  const { removed, kept } = named === undefined ? await cleanAll(io, flags) : await cleanOne(io, flags, named)
  if (flags.json) io.stdout.write(`${JSON.stringify({ removed, kept })}\n`)
  else {
    const lines = [
      ...removed.map((session) => `removed ${session}`),
      ...kept.map(({ session, why }) => `kept ${session}: ${why}`),
    ]
    io.stdout.write(`${lines.map(cleanLine).join('\n') || 'No workspaces to clean up.'}\n`)
  }
  return named !== undefined && kept.length > 0 ? exitCodes.failed : exitCodes.done
}

async function cleanAll(io: Io, flags: CleanFlags): Promise<CleanedWorkspaces> {
  const workspaces = createWorkspaces({ home: await requireTrustedHome(io, flags) })
  const removed: string[] = []
  const kept: { session: string; why: string }[] = []
  for (const state of await workspaces.list()) {
    const why = reasonToKeep(state, flags)
    const discards = flags.ignored ? { discards: 'ignored' as const } : {}
    if (why === undefined && (await workspaces.leave(state.session, discards))) removed.push(state.session)
    else kept.push({ session: state.session, why: why ?? 'the workspace has just changed' })
  }
  return { removed, kept }
}

async function cleanOne(io: Io, flags: CleanFlags, named: string): Promise<CleanedWorkspaces> {
  const { workspaces, owner } = await findWorkspace(io, flags, named)
  return cleanWorkspace(workspaces, owner, flags)
}
