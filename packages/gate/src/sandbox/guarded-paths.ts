import path from 'node:path'
import { entriesIn, entryAt, isInside } from '@cadre/disk'
import type { PathResolver } from '../paths/path-resolver.ts'
import { gitFoldersOf } from '../paths/repository-folders.ts'
import { findNested, type NestedFindings } from './find-nested.ts'

/** Paths that a command may not change, although it runs where they are. */
export interface GuardedPaths {
  /** The real path of the workspace. */
  readonly root: string
  /** Absolute paths of files and folders, existing or not. For a repository, only what makes git start a program. */
  readonly paths: readonly string[]
  /** Findings in the folders of the workspace. */
  readonly nested: NestedFindings
  /** The existing repositories: their `.git`, and its target. */
  readonly repositories: readonly string[]
  /** Where git stores commits, if that is outside the workspace. */
  readonly git?: { readonly own: string; readonly common: string }
}

/**
 * The same paths as for the file tools, except that commands may commit. So in a repository, only its configuration, its
 * hooks, and the file that points to a worktree's repository are guarded.
 */
export function guardedPaths(workspace: string, places: PathResolver): GuardedPaths {
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
  // Commands may push to a repository in the workspace, but not change its settings.
  for (const folder of nested.bare) for (const part of partsOfRepository(folder)) found.add(part)
  const git = gitFoldersOf(root)
  if (git === undefined) return { root, paths: [...found], nested, repositories }
  for (const folder of [git.own, git.common]) {
    // As a workspace folder it would be guarded as a whole, and nothing could be committed.
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
  // A command may create a repository; its contents are checked afterwards.
  if (stats === undefined) return []
  return stats.isDirectory() ? partsOfRepository(place) : [place]
}

const decidingNames = [
  'config',
  'config.worktree',
  'hooks',
  'commondir',
  'gitdir',
  path.join('info', 'attributes'),
]

/** Includes submodules whose repositories are stored in it. */
function partsOfRepository(folder: string, depth = 0): string[] {
  const own = decidingNames.map((name) => path.join(folder, name))
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
