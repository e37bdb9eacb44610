import { CadreError, type JsonObject } from '@cadre/core'
import type { RollbackRequest, RollbackResult, WorkspaceKeeper, WorkspaceState } from '@cadre/workspaces'

/** Rejects while an agent works in the workspace. */
export function requireIdleWorkspace({ session, life }: WorkspaceState): void {
  if (life !== 'running') return
  throw new CadreError(
    'owned',
    `session ${session} is running in this workspace. Wait for it to finish, or stop it with: cadre sessions cancel ${session}`,
  )
}

/** Undoes changes in a workspace that no agent uses. */
export async function rollBackWorkspace(
  workspaces: WorkspaceKeeper,
  owner: string,
  request: RollbackRequest,
): Promise<RollbackResult> {
  requireIdleWorkspace(await workspaces.state(owner))
  return workspaces.rollback(owner, request)
}

/** The JSON of `cadre workspace rollback`, for one workspace. */
export function rollbackJson(session: string, result: RollbackResult): JsonObject {
  if (result.kind !== 'undone') {
    const { kind, ...rest } = result
    return { session, result: kind, ...rest } as unknown as JsonObject
  }
  const { steps, files, record } = result
  return { session, result: 'undone', steps, files, commit: record.tip } as unknown as JsonObject
}

/** Merges a workspace that no agent uses. The JSON of `cadre workspace merge`. */
export async function mergeWorkspaceJson(
  workspaces: WorkspaceKeeper,
  owner: string,
  options: Parameters<WorkspaceKeeper['merge']>[1] = {},
) {
  const state = await workspaces.state(owner)
  requireIdleWorkspace(state)
  const result = await workspaces.merge(owner, options)
  const { kind, ...rest } = result
  const target = state.target ?? ''
  const { ignored: left, repositories } = await workspaces.state(owner)
  return { result, json: { session: owner, target, result: kind, ...rest, left, repositories } }
}

export interface CleanOptions {
  /** Ignored files may be lost. */
  readonly ignored?: boolean
  /** Unmerged changes may be lost. */
  readonly force?: boolean
}

export interface CleanedWorkspaces {
  readonly removed: readonly string[]
  readonly kept: readonly { readonly session: string; readonly why: string }[]
}

/** Removes the workspace of an ended session, unless something would be lost. */
export async function cleanWorkspace(
  workspaces: WorkspaceKeeper,
  owner: string,
  options: CleanOptions = {},
): Promise<CleanedWorkspaces> {
  const state = await workspaces.state(owner)
  requireIdleWorkspace(state)
  const why = options.force ? undefined : reasonToKeep(state, options)
  if (why !== undefined)
    return { removed: [], kept: [{ session: owner, why: `${why}; discard with --force` }] }
  await workspaces.remove(owner)
  return { removed: [owner], kept: [] }
}

/** Why a workspace must stay, or `undefined` if nothing would be lost. */
export function reasonToKeep(workspace: WorkspaceState, options: CleanOptions): string | undefined {
  const { life, state, files, uncommitted, ignored, repositories } = workspace
  if (life !== 'ended') return `the session is ${life}`
  if (state !== 'empty' && state !== 'merged') {
    const count = files.length + uncommitted
    return `${count} changed ${count === 1 ? 'file' : 'files'} not merged`
  }
  if (repositories.length > 0)
    return `the workspace has repositories or submodules that are not merged (${repositories.join(', ')})`
  if (ignored.length === 0 || options.ignored) return undefined
  return `the workspace has files that git ignores (${ignored.join(', ')}); discard them with --ignored`
}
