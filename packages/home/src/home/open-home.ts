import { existsSync, rmdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { CadreError } from '@cadre/core'
import { isFolder, isInside, makeFolder, realPathOf, repositoryOf } from '@cadre/disk'
import { isEmptyHome } from '../trust/user-homes.ts'
import { excludeFromGit, excludeFromWithin } from './exclude-from-git.ts'
import type { Home } from './home.ts'

export interface HomeOptions {
  /** `--home`. */
  readonly home?: string
  readonly cwd: string
  readonly env: { readonly [name: string]: string | undefined }
  /** Called when the home folder was created or was empty, before anything is written to it. If it throws, the folder is removed. */
  readonly created?: ((home: string) => void) | undefined
}

const folderName = '.cadre'

/**
 * Finds the home: `--home`, else `CADRE_HOME`, else the nearest `.cadre` in this folder or a parent, else a new one at the git root or in
 * the current folder. A home belongs to one project: a `.cadre` above the git root is ignored, and so is the one in the user's home folder
 * outside git.
 */
export function openHome(options: HomeOptions): Home {
  const { home, cwd, env } = options
  const chosen = home || env['CADRE_HOME']
  const path = chosen ? resolve(cwd, chosen) : findHome(resolve(cwd), env['HOME'] || homedir())
  if (chosen && existsSync(path) && !isFolder(path))
    throw new CadreError(
      'usage',
      'this is not a folder. Choose the home directory with --home or CADRE_HOME.',
      { where: path },
    )
  return {
    path,
    at: (...names) => join(path, ...names),
    folder(...names) {
      const folder = join(path, ...names)
      if (names.length > 0 && existsSync(folder)) return folder
      const repository = basename(path) === folderName ? repositoryOf(dirname(path)) : undefined
      // Before the folder exists, so that git never sees it.
      const isExcluded = repository === undefined || excludeFromGit(repository, path)
      if (options.created !== undefined && isEmptyHome(path)) createOwnHome(path, options.created)
      makeFolder(folder, modeIn(path))
      // The user may not change the repository's own settings.
      if (!isExcluded) excludeFromWithin(path)
      return folder
    },
  }
}

function createOwnHome(path: string, created: (home: string) => void): void {
  const wasThere = existsSync(path)
  makeFolder(path, modeIn(path))
  try {
    created(path)
  } catch (error) {
    if (!wasThere) rmdirSync(path)
    throw error
  }
}

/** Folders in a home are accessible only to their owner. Folders above it have the default mode. */
function modeIn(home: string): (folder: string) => number {
  return (folder) => (isInside(home, folder) ? 0o700 : 0o777)
}

function findHome(cwd: string, userHome: string): string {
  const above = selfAndParents(cwd)
  // The workspace of an agent is a separate repository inside the home.
  const around = above.find((folder) => basename(folder) === folderName)
  if (around !== undefined) return around
  const repository = repositoryOf(cwd)
  const own = realPathOf(resolve(userHome))
  const folders = above.filter((folder) =>
    repository === undefined ? folder === cwd || realPathOf(folder) !== own : isInside(repository, folder),
  )
  return (
    folders.map((folder) => join(folder, folderName)).find(isFolder) ?? join(repository ?? cwd, folderName)
  )
}

function selfAndParents(from: string): string[] {
  const folders = [from]
  for (let folder = from; dirname(folder) !== folder; folder = dirname(folder)) folders.push(dirname(folder))
  return folders
}
