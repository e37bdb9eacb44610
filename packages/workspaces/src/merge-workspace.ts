import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import {
  applyTree,
  commitOf,
  commitTree,
  diffNames,
  git,
  type MergeSides,
  mergeTrees,
  repositoryAt,
  stagePaths,
  takeSnapshot,
} from '@cadre/disk'
import type { Home } from '@cadre/home'
import { commitChanges } from './commit-changes.ts'
import { commitMessage } from './commit-message.ts'
import { planIgnored, splitChanges } from './ignored-part.ts'
import { gitInRepository, type WorkTreeRequest } from './workspace-git.ts'
import { listRecords, type WorkspaceRecord, writeRecord } from './workspace-record.ts'

export type MergeResult =
  | {
      readonly kind: 'merged'
      readonly files: readonly string[]
      readonly commit?: string
      /** Ignored files among them: in the folder, but not committed. */
      readonly ignored?: readonly string[]
    }
  | { readonly kind: 'nothing' }
  /** Both sides changed the same lines; nothing was changed. */
  | { readonly kind: 'conflicts'; readonly files: readonly string[] }
  /** Uncommitted files would be overwritten; nothing was changed. */
  | { readonly kind: 'dirty'; readonly files: readonly string[] }

/**
 * Merges a session's changes into the folder it started from. The result is computed first, from git objects. In a
 * person's repository it becomes one commit on the current branch, unless `commit` is false: then, as everywhere else, only
 * files change. Ignored files that a tool named are copied.
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
      `cannot merge session ${record.session}: the folder that it started from no longer exists. The session's files are still in ${record.path}.`,
    )
  const owner = listRecords(home).find(({ top }) => top === target)
  const { sides, ignored } = await splitChanges(home, record)
  const merging = { home, record: { ...record, sides }, target, signal }
  const index = `${indexOf(merging)}.ignored`
  const rest = await planIgnored(ignored, { ...(await gitAtTarget(merging)), index })
  if (rest.kind === 'conflicts') return rest
  const intoBranch = record.kind === 'worktree' && commit && owner === undefined
  const plan = await (intoBranch ? planIntoBranch(merging) : planIntoFiles(merging))
  if (plan.kind !== 'ready') return plan
  const files = [...plan.files, ...rest.files]
  if (files.length > 0) {
    await rest.apply()
    await plan.apply()
  }
  if (owner !== undefined && files.length > 0) {
    const { session, agent } = record
    const occasion = { subject: `Work by ${agent} (${session})`, session, agent }
    const paths = files.map((name) => path.join(target, name))
    await commitChanges(home, owner, { ...occasion, paths }, signal)
  }
  writeRecord(home, { ...record, merged: record.tip })
  if (files.length === 0) return { kind: 'nothing' }
  const { commit: made } = plan
  return {
    kind: 'merged',
    files,
    ...(made !== undefined && { commit: made }),
    ...(rest.files.length > 0 && { ignored: rest.files }),
  }
}

interface Merging {
  readonly home: Home
  readonly record: WorkspaceRecord & { readonly sides: Omit<MergeSides, 'ours'> }
  readonly target: string
  readonly signal: AbortSignal | undefined
}

/** A planned merge. Nothing changes before `apply`. */
type Plan =
  | {
      readonly kind: 'ready'
      readonly files: readonly string[]
      readonly commit?: string
      readonly apply: () => Promise<void>
    }
  | Extract<MergeResult, { kind: 'conflicts' | 'dirty' }>

async function planIntoBranch(merging: Merging): Promise<Plan> {
  const { home, record, target, signal } = merging
  const repository = repositoryAt(target)
  if (repository === undefined)
    throw new CadreError('usage', 'this is no longer a git repository.', { where: target })
  const at = await gitInRepository(repository, home.path, signal)
  requireNoOperation(repository.gitDir, target)
  const head = await commitOf('HEAD', at)
  if (head === undefined)
    throw new CadreError('usage', 'the current branch has no commits.', { where: target })
  const merged = await mergeTrees({ ...record.sides, ours: head }, at)
  if (merged.kind === 'conflicts') return merged
  const files = await diffNames(head, merged.tree, at)
  if (files.length === 0) return nothingToDo
  const index = indexOf(merging)
  const now = await stateOf(merging, { ...at, index, from: path.join(repository.gitDir, 'index') }, files)
  rmSync(index, { force: true })
  const own = new Set(await diffNames(head, now, at))
  const different = new Set(await diffNames(now, merged.tree, at))
  const dirty = files.filter((name) => own.has(name) && different.has(name))
  if (dirty.length > 0) return { kind: 'dirty', files: dirty }
  const { session, agent, branch } = record
  const subject = `Work by ${agent} (${session})`
  const message = commitMessage({ subject, session, agent, body: `Merged from ${branch}.` })
  const made = (await commitTree({ ...at, tree: merged.tree, parent: head, message })) as string
  const apply = async () => {
    // Files that already have the merged content, from the person or from an interrupted merge.
    await stagePaths(
      files.filter((name) => own.has(name)),
      at,
    )
    await applyTree(head, merged.tree, at)
    await git(['update-ref', '-m', `cadre: ${subject}`, 'HEAD', made, head], at)
  }
  return { kind: 'ready', files, commit: made, apply }
}

const nothingToDo: Plan = { kind: 'ready', files: [], apply: async () => {} }

/** Changes only files, whatever their state. The index of the target is not touched. */
async function planIntoFiles(merging: Merging): Promise<Plan> {
  const { record } = merging
  const at = { ...(await gitAtTarget(merging)), index: indexOf(merging) }
  const from = record.kind === 'worktree' ? indexOfTarget(merging) : undefined
  const changed = await diffNames(record.sides.base, record.sides.theirs, at)
  const now = await stateOf(merging, { ...at, ...(from !== undefined && { from }) }, changed)
  const merged = await mergeTrees({ ...record.sides, ours: now }, at)
  if (merged.kind === 'conflicts') {
    rmSync(at.index, { force: true })
    return merged
  }
  const files = await diffNames(now, merged.tree, at)
  const apply = async () => {
    try {
      if (files.length > 0) await applyTree(now, merged.tree, at)
    } finally {
      rmSync(at.index, { force: true })
    }
  }
  if (files.length === 0) await apply()
  return { kind: 'ready', files, apply }
}

/** Git in the target folder. */
async function gitAtTarget({ home, record, target, signal }: Merging): Promise<WorkTreeRequest> {
  const repository = record.kind === 'worktree' ? targetRepository(home, target) : undefined
  return repository === undefined
    ? { cwd: home.path, gitDir: record.gitDir, workTree: target, signal }
    : gitInRepository(repository, home.path, signal)
}

function indexOfTarget({ home, target }: Merging): string | undefined {
  const repository = targetRepository(home, target)
  return repository && path.join(repository.gitDir, 'index')
}

function indexOf({ home, record }: Merging): string {
  return home.at('storage', 'workspaces', `${record.session}.${process.pid}.target.tmp`)
}

function targetRepository(home: Home, target: string) {
  const owner = listRecords(home).find(({ top }) => top === target)
  if (owner !== undefined) return { top: target, gitDir: owner.gitDir, commonDir: owner.commonDir }
  return repositoryAt(target)
}

/**
 * The current files of the target as a tree; the index then matches it. `also`: files that the merge would write, which are included
 * even if git ignores them.
 */
async function stateOf(
  { home }: Merging,
  at: WorkTreeRequest & { readonly index: string; readonly from?: string },
  also: readonly string[],
): Promise<string> {
  rmSync(at.index, { force: true })
  const taken = await takeSnapshot({ ...at, also, without: home.path })
  if (taken.kind === 'too_large') throw new Error('unreachable: a snapshot without a limit was too large')
  return taken.tree
}

const unfinished: { readonly [name: string]: string } = {
  MERGE_HEAD: 'a merge',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase',
}

function requireNoOperation(gitDir: string, where: string): void {
  for (const [name, what] of Object.entries(unfinished))
    if (existsSync(path.join(gitDir, name)))
      throw new CadreError('usage', `${what} is in progress here. Finish or abort it first.`, {
        where,
      })
}
