import { realpathSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { isInside, type Repository, realPathOrSelf, repositoryAt, repositoryOf } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { checkoutsIn } from './checkouts/checkout-paths.ts'
import { listRecords, type WorkspaceRecord } from './workspace-record.ts'

/** The folder that a new workspace starts from. */
export interface WorkspaceBase {
  readonly folder: string
  /** Its repository. */
  readonly repository?: Repository
  /** The other session whose workspace contains it. */
  readonly workspace?: WorkspaceRecord
}

/** Returns what a folder is part of. In a session's workspace, Cadre's record decides, because an agent controls its contents. */
export function findBase(home: Home, folder: string): WorkspaceBase {
  let real: string
  try {
    real = realpathSync(folder)
  } catch (error) {
    throw new CadreError('configuration', 'this folder does not exist.', {
      where: folder,
      cause: error,
    })
  }
  const owner = listRecords(home).find(
    ({ top, state }) => state === 'ready' && isInside(realPathOrSelf(top), real),
  )
  if (owner !== undefined) {
    const { gitDir, commonDir } = owner
    return {
      folder: real,
      workspace: owner,
      repository: { top: realPathOrSelf(owner.top), gitDir, commonDir },
    }
  }
  const top = repositoryOf(real)
  // Other files in the home are part of the home's history, or of none.
  const isCheckout = top !== undefined && isInside(realPathOrSelf(checkoutsIn(home)), top)
  if (top === undefined || (!isCheckout && isInside(realPathOrSelf(home.path), top))) return { folder: real }
  const repository = repositoryAt(top)
  return { folder: real, ...(repository && { repository }) }
}

/** The place in a workspace that corresponds to the base. */
export function placeIn(top: string, { folder, repository }: WorkspaceBase): string {
  return repository === undefined ? top : path.join(top, path.relative(repository.top, folder))
}
