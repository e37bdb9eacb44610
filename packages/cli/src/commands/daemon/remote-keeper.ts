import path from 'node:path'
import { CadreError } from '@cadre/core'
import { isInside, repositoryOf } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { createRemoteKeeper } from '@cadre/server'
import { recordedCheckout } from '@cadre/workspaces'
import type { Io } from '../../io.ts'
import { engineSettings, requireEngine } from '../engine/engine-settings.ts'

interface RemoteKeeper {
  readonly create: (
    options: Omit<Parameters<typeof createRemoteKeeper>[0], 'trees' | 'place' | 'workspaceOf'>,
  ) => ReturnType<typeof createRemoteKeeper>
  /** Where agents work, for people. Absent: in the daemon's workspace, on the workers. */
  readonly place?: string
}

/** Returns how to create the keeper if sessions run on workers: with `--engine restate`, or if config.yaml has an engine. */
export async function remoteKeeper(
  io: Io,
  home: Home,
  wanted: 'files' | 'restate' | undefined,
  workspace: string,
): Promise<RemoteKeeper | undefined> {
  if (wanted === 'files') return undefined
  const engine = wanted === 'restate' ? await requireEngine(io, home) : await engineSettings(io, home)
  if (engine === undefined) return undefined
  const { ingress, place } = engine
  const workspaceOf = engine.workspace === 'checkout' ? checkoutWorkspace(home, workspace) : undefined
  const { createRestateKeeper } = await import('@cadre/restate')
  return {
    create: (options) =>
      createRemoteKeeper({
        ...options,
        place,
        ...(workspaceOf && { workspaceOf }),
        trees: createRestateKeeper({ ingress, place }),
      }),
    ...(workspaceOf && { place: 'checkouts on the workers' }),
  }
}

/** The workspace of a session in its checkout: the same folder as in the daemon's project. */
function checkoutWorkspace(home: Home, workspace: string) {
  const project = repositoryOf(workspace) ?? workspace
  return (session: string, folder: string): string => {
    // Agents of a home without a project work in the whole repository.
    if (isInside(home.path, folder)) return recordedCheckout(session)
    if (isInside(project, folder)) return recordedCheckout(session, path.relative(project, folder))
    throw new CadreError(
      'configuration',
      `${session} cannot work in ${folder}, because engine.workspace is checkout and the folder is not in ${project}.`,
    )
  }
}
