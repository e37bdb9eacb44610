import { realpathSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { isInside, type Repository, repositoryAt, repositoryOf } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { listRecords, type WorkspaceRecord } from './workspace-record.ts'

/** The folder a new workspace begins as. */
export interface Base {
  readonly folder: string
  /** The repository it is in. */
  readonly repository?: Repository
  /** The other session whose workspace it is in. */
  readonly workspace?: WorkspaceRecord
}

/** What a folder belongs to. In the workspace of a session our own record says it: what lies there is an agent's. */
export function findBase(home: Home, folder: string): Base {
  let real: string
  try {
    real = realpathSync(folder)
  } catch (error) {
    throw new CadreError('configuration', 'the folder to start from does not exist.', {
      where: folder,
      cause: error,
    })
  }
  const owner = listRecords(home).find(({ top, state }) => state === 'ready' && isInside(realOr(top), real))
  if (owner !== undefined) {
    const { gitDir, commonDir } = owner
    return { folder: real, workspace: owner, repository: { top: realOr(owner.top), gitDir, commonDir } }
  }
  const top = repositoryOf(real)
  // What lies in the home is in the home's history, or in nobody's.
  if (top === undefined || isInside(realOr(home.path), top)) return { folder: real }
  const repository = repositoryAt(top)
  return { folder: real, ...(repository && { repository }) }
}

/** The place in a workspace that corresponds to the base. */
export function placeIn(top: string, { folder, repository }: Base): string {
  return repository === undefined ? top : path.join(top, path.relative(repository.top, folder))
}

function realOr(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return path.resolve(folder)
  }
}
