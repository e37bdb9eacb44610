import { copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import {
  type ChangedPaths,
  changedPaths,
  commitIndex,
  commitOf,
  git,
  ignoredFilesIn,
  isFile,
  isInside,
  realPathOf,
  stagePaths,
  tryGit,
  userIgnores,
} from '@cadre/disk'
import type { Home } from '@cadre/home'
import { type CommitReason, commitMessage } from './commit-message.ts'
import { gitInWorkspace, type WorkTreeRequest } from './workspace-git.ts'
import { type WorkspaceRecord, writeRecord } from './workspace-record.ts'

export interface CommitChanges extends CommitReason {
  /** Absolute paths to commit, including files that git ignores. Default: all changes. */
  readonly paths?: readonly string[] | undefined
}

/**
 * Commits the changes in a workspace to its branch, and returns the updated record. Without changes, there is no commit.
 * The caller must ensure that only one runs per workspace.
 */
export async function commitChanges(
  home: Home,
  record: WorkspaceRecord,
  { paths: wanted, ...occasion }: CommitChanges,
  signal?: AbortSignal,
): Promise<WorkspaceRecord> {
  if (!existsSync(record.top)) return record
  const at = await gitInWorkspace(home, record, signal)
  const changed = await changedPaths(at, await userIgnores())
  const places = wanted?.map((place) => relativeTo(record.top, place))
  const names =
    places === undefined
      ? changed.paths
      : [
          ...changed.paths.filter((name) => isWithinAny(name, places)),
          ...(await namedIgnored(places, changed, at)),
        ]
  await stagePaths(names, at)
  const parent = await tipCommit(record, at)
  // Commits that the agent made itself do not name the call, so one that does is added on top.
  const evenIfSame = parent !== record.tip && wanted === undefined
  if (names.length === 0 && !evenIfSame) return record
  const commit = await commitIndex({ ...at, message: commitMessage(occasion), parent, evenIfSame })
  if (commit === undefined) return record
  await git(['update-ref', '-m', 'cadre', `refs/heads/${record.branch}`, commit], at)
  const next = { ...record, tip: commit }
  writeRecord(home, next)
  publishIndex(record, at.index)
  return next
}

/** A file that a tool named is part of the work, even if the project ignores it. */
async function namedIgnored(
  places: readonly string[],
  { paths }: ChangedPaths,
  at: WorkTreeRequest,
): Promise<readonly string[]> {
  const known = new Set(paths)
  const files = places.filter((name) => {
    if (known.has(name) || name === '' || name.startsWith('../') || name.split('/').includes('.git'))
      return false
    return isFile(path.join(at.workTree, name))
  })
  return files.length === 0 ? [] : ignoredFilesIn(files, at)
}

/**
 * Returns the parent of the next commit: the branch, if it continues from Cadre's last commit. A branch that was reset,
 * moved or deleted is restored to that commit, so that nothing an agent does with git loses work.
 */
export async function tipCommit(record: WorkspaceRecord, at: WorkTreeRequest): Promise<string> {
  const branch = await commitOf(`refs/heads/${record.branch}`, at)
  if (branch === undefined || branch === record.tip) return record.tip
  const { code } = await tryGit(['merge-base', '--is-ancestor', record.tip, branch], at)
  return code === 0 ? branch : record.tip
}

/**
 * Updates the index, so that `git status` in the workspace shows what was committed. Not if the agent has switched to
 * another branch.
 */
export function publishIndex({ gitDir, branch }: WorkspaceRecord, index: string): void {
  try {
    if (readFileSync(path.join(gitDir, 'HEAD'), 'utf8').trim() !== `ref: refs/heads/${branch}`) return
    if (existsSync(path.join(gitDir, 'index.lock'))) return
    const draft = path.join(gitDir, `index.${process.pid}.tmp`)
    copyFileSync(index, draft)
    renameSync(draft, path.join(gitDir, 'index'))
  } catch {
    // For display only: Cadre uses its own index.
  }
}

function relativeTo(top: string, place: string): string {
  return path.relative(realPathOf(top), realPathOf(place)).split(path.sep).join('/')
}

function isWithinAny(name: string, places: readonly string[]): boolean {
  return places.some((place) => place === '' || isInside(`/${place}`, `/${name}`))
}
