import path from 'node:path'
import { entriesIn, entryAt, isInside } from '@cadre/disk'
import type { Places } from '../paths/places.ts'
import { gitFoldersOf } from '../paths/repository-folders.ts'
import { findNested, type Nested } from './find-nested.ts'

/** What a command may not change, though it runs where these things are. */
export interface GuardedPaths {
  /** The workspace's real path. */
  readonly root: string
  /** Absolute: files and folders, existing or not. Of a repository only what makes git run something. */
  readonly paths: readonly string[]
  /** What was found in the folders of the workspace. */
  readonly nested: Nested
  /** The repositories that are there: their `.git`, and where that leads. */
  readonly repositories: readonly string[]
  /** Where git keeps what a commit writes, when that is not in the workspace. */
  readonly git?: { readonly own: string; readonly common: string }
}

/**
 * As the file tools have it, with one difference: commands may commit. So of a repository only its configuration and its
 * hooks are guarded, and the file that says where a worktree's repository is.
 */
export function guardedPaths(workspace: string, places: Places): GuardedPaths {
  const root = places.locate('.', workspace) ?? path.resolve(workspace)
  const found = new Set<string>()
  const nested = findNested(root)
  const repositories: string[] = []
  for (const place of [...places.protectedIn(root), ...nested.places]) {
    if (path.basename(place) !== '.git') found.add(place)
    else {
      if (entryAt(place) !== undefined) repositories.push(place)
      for (const part of gitParts(place)) found.add(part)
    }
  }
  // Commands may push to a repository of the workspace, and not change its settings.
  for (const folder of nested.bare) for (const part of partsOfRepository(folder)) found.add(part)
  const git = gitFoldersOf(root)
  if (git === undefined) return { root, paths: [...found], nested, repositories }
  for (const folder of [git.own, git.common]) {
    // As a folder of the workspace it would be guarded whole, and nothing could be committed.
    found.delete(folder)
    for (const part of partsOfRepository(folder)) found.add(part)
  }
  return {
    root,
    paths: [...found],
    nested,
    repositories: [...repositories, git.own, git.common],
    ...(!isInside(root, git.common) && { git }),
  }
}

function gitParts(place: string): string[] {
  const stats = entryAt(place)
  // A repository may be made where there is none: what is in it is looked at afterwards.
  if (stats === undefined) return []
  return stats.isDirectory() ? partsOfRepository(place) : [place]
}

const deciding = [
  'config',
  'config.worktree',
  'hooks',
  'commondir',
  'gitdir',
  path.join('info', 'attributes'),
]

/** Also of the submodules whose repositories are kept in it. */
function partsOfRepository(folder: string, depth = 0): string[] {
  const own = deciding.map((name) => path.join(folder, name))
  if (depth > 4) return own
  const modules = path.join(folder, 'modules')
  return [...own, ...repositoriesBelow(modules, 0).flatMap((inner) => partsOfRepository(inner, depth + 1))]
}

function repositoriesBelow(folder: string, depth: number): string[] {
  if (depth > 4) return []
  return entriesIn(folder)
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const inner = path.join(folder, name)
      return entryAt(path.join(inner, 'HEAD')) === undefined ? repositoriesBelow(inner, depth + 1) : [inner]
    })
}
