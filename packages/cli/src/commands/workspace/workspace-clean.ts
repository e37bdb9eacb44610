import { CadreError } from '@cadre/core'
import { requireTrustedHome } from '@cadre/runtime'
import { createWorkspaces, type WorkspaceState } from '@cadre/workspaces'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { counted } from '../../output/numbers.ts'
import { findWorkspace, requireIdle, type WorkspaceFlags } from './workspace-here.ts'

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

interface Cleaned {
  readonly removed: readonly string[]
  readonly kept: readonly { readonly session: string; readonly why: string }[]
}

async function cleanAll(io: Io, flags: CleanFlags): Promise<Cleaned> {
  const workspaces = createWorkspaces({ home: await requireTrustedHome(io, flags) })
  const removed: string[] = []
  const kept: { session: string; why: string }[] = []
  for (const state of await workspaces.list()) {
    const why = reasonToKeep(state, flags)
    const discards = flags.ignored ? { discards: 'ignored' as const } : {}
    if (why === undefined && (await workspaces.leave(state.session, discards))) removed.push(state.session)
    else kept.push({ session: state.session, why: why ?? 'it was changed just now' })
  }
  return { removed, kept }
}

async function cleanOne(io: Io, flags: CleanFlags, named: string): Promise<Cleaned> {
  const { workspaces, owner } = await findWorkspace(io, flags, named)
  const state = await workspaces.state(owner)
  requireIdle(state)
  const why = flags.force ? undefined : reasonToKeep(state, flags)
  if (why !== undefined)
    return { removed: [], kept: [{ session: owner, why: `${why}; discard with --force` }] }
  await workspaces.remove(owner)
  return { removed: [owner], kept: [] }
}

function reasonToKeep(workspace: WorkspaceState, flags: CleanFlags): string | undefined {
  const { life, state, files, uncommitted, ignored, repositories } = workspace
  if (life !== 'ended') return `its session is ${life}`
  if (state !== 'empty' && state !== 'merged')
    return `${counted(files.length + uncommitted, 'changed file')} not merged`
  if (repositories.length > 0)
    return `it has repositories or submodules that are not merged (${repositories.join(', ')})`
  if (ignored.length === 0 || flags.ignored) return undefined
  return `it has files that git ignores (${ignored.join(', ')}); discard them with --ignored`
}
