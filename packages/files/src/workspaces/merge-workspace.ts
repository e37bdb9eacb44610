import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { applyTree } from '../git/apply-tree.ts'
import { commitOf, commitTree } from '../git/commit-index.ts'
import { diffNames } from '../git/diff-names.ts'
import { git } from '../git/git.ts'
import { repositoryAt } from '../git/git-folders.ts'
import { mergeTrees } from '../git/merge-trees.ts'
import { takeSnapshot } from '../git/snapshot.ts'
import { stagePaths } from '../git/stage-paths.ts'
import type { Home } from '../home/open-home.ts'
import { commitChanges } from './commit-changes.ts'
import { commitMessage } from './commit-message.ts'
import { type AtWorkTree, atRepository } from './workspace-git.ts'
import { listRecords, type WorkspaceRecord, writeRecord } from './workspace-record.ts'

export type MergeResult =
  | { readonly kind: 'merged'; readonly files: readonly string[]; readonly commit?: string }
  | { readonly kind: 'nothing' }
  /** Both sides have changed the same thing; nothing was touched. */
  | { readonly kind: 'conflicts'; readonly files: readonly string[] }
  /** Files that are not committed would be written over; nothing was touched. */
  | { readonly kind: 'dirty'; readonly files: readonly string[] }

/**
 * Takes what a session has changed over into the folder it began with. What comes of it is found out beforehand, from objects
 * alone. In a person's repository it becomes one commit on the current branch, unless `commit` is false: then, as everywhere
 * else, only files change.
 */
export async function mergeWorkspace(
  home: Home,
  record: WorkspaceRecord,
  { commit = true, signal }: { readonly commit?: boolean; readonly signal?: AbortSignal } = {},
): Promise<MergeResult> {
  const { target } = record
  if (target === undefined || !existsSync(target))
    throw new CadreError(
      'usage',
      `the session ${record.session} did not begin with a folder that is there; its files are in ${record.path}`,
    )
  const owner = listRecords(home).find(({ top }) => top === target)
  const result =
    record.kind === 'worktree' && commit && owner === undefined
      ? await mergeIntoBranch(home, record, target, signal)
      : await mergeIntoFiles(home, record, target, signal)
  if (result.kind === 'merged' && owner !== undefined) {
    const { session, agent } = record
    await commitChanges(home, owner, { subject: `Work of ${agent} (${session})`, session, agent }, signal)
  }
  if (result.kind === 'merged' || result.kind === 'nothing')
    writeRecord(home, { ...record, merged: record.tip })
  return result
}

async function mergeIntoBranch(
  home: Home,
  record: WorkspaceRecord,
  target: string,
  signal: AbortSignal | undefined,
): Promise<MergeResult> {
  const repository = repositoryAt(target)
  if (repository === undefined)
    throw new CadreError('usage', 'this is no repository any more', { where: target })
  const at = await atRepository(repository, home.path, signal)
  requireCalm(repository.gitDir, target)
  const head = await commitOf('HEAD', at)
  if (head === undefined) throw new CadreError('usage', 'the branch here has no commit', { where: target })
  const merged = await mergeTrees(sidesOf(record, head), at)
  if (merged.kind === 'conflicts') return merged
  const files = await diffNames(head, merged.tree, at)
  if (files.length === 0) return { kind: 'nothing' }
  const now = await stateOf(home, record, { ...at, from: path.join(repository.gitDir, 'index') })
  const own = new Set(await diffNames(head, now.tree, at))
  const different = new Set(await diffNames(now.tree, merged.tree, at))
  const dirty = files.filter((name) => own.has(name) && different.has(name))
  if (dirty.length > 0) return { kind: 'dirty', files: dirty }
  const { session, agent, branch } = record
  const subject = `Work of ${agent} (${session})`
  const message = commitMessage({ subject, session, agent, body: `Merged from ${branch}.` })
  const made = await commitTree({ ...at, tree: merged.tree, parent: head, message })
  // Files that are as they are to be already, by the person or by a merge that was interrupted.
  await stagePaths(
    files.filter((name) => own.has(name)),
    at,
  )
  await applyTree(head, merged.tree, at)
  await git(['update-ref', '-m', `cadre: ${subject}`, 'HEAD', made as string, head], at)
  return { kind: 'merged', files, commit: made as string }
}

/** Into the files alone, whatever state they are in. The index of whoever works there is not touched. */
async function mergeIntoFiles(
  home: Home,
  record: WorkspaceRecord,
  target: string,
  signal: AbortSignal | undefined,
): Promise<MergeResult> {
  const repository = record.kind === 'worktree' ? targetRepository(home, target) : undefined
  const at: AtWorkTree =
    repository === undefined
      ? { cwd: home.path, gitDir: record.gitDir, workTree: target, signal }
      : await atRepository(repository, home.path, signal)
  const from = repository === undefined ? undefined : path.join(repository.gitDir, 'index')
  const now = await stateOf(home, record, { ...at, ...(from !== undefined && { from }) }, true)
  try {
    const merged = await mergeTrees(sidesOf(record, now.tree), at)
    if (merged.kind === 'conflicts') return merged
    const files = await diffNames(now.tree, merged.tree, at)
    if (files.length === 0) return { kind: 'nothing' }
    await applyTree(now.tree, merged.tree, { ...at, index: now.index })
    return { kind: 'merged', files }
  } finally {
    rmSync(now.index, { force: true })
  }
}

function targetRepository(home: Home, target: string) {
  const owner = listRecords(home).find(({ top }) => top === target)
  if (owner !== undefined) return { top: target, gitDir: owner.gitDir, commonDir: owner.commonDir }
  return repositoryAt(target)
}

function sidesOf(record: WorkspaceRecord, ours: string) {
  return { base: record.merged ?? record.start, ours, theirs: record.tip }
}

/** The files of the target as they are now. */
async function stateOf(
  home: Home,
  { session }: WorkspaceRecord,
  at: AtWorkTree & { readonly from?: string },
  keepsIndex = false,
): Promise<{ readonly tree: string; readonly index: string }> {
  const index = home.at('storage', 'workspaces', `${session}.${process.pid}.target.tmp`)
  rmSync(index, { force: true })
  try {
    const taken = await takeSnapshot({ ...at, index, without: home.path })
    if (taken.kind === 'too_large') throw new Error('unreachable: there is no limit')
    return { tree: taken.tree, index }
  } finally {
    if (!keepsIndex) rmSync(index, { force: true })
  }
}

const unfinished: { readonly [name: string]: string } = {
  MERGE_HEAD: 'a merge',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase',
}

function requireCalm(gitDir: string, where: string): void {
  for (const [name, what] of Object.entries(unfinished))
    if (existsSync(path.join(gitDir, name)))
      throw new CadreError('usage', `${what} is not finished here; finish it, or take it back, first`, {
        where,
      })
}
