import { CadreError } from '@cadre/core'
import { applyTree, commitTree, diffNames, git, mergeTrees, treeOf } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { publishIndex } from './commit-changes.ts'
import { commitMessage } from './commit-message.ts'
import { gitInWorkspace } from './workspace-git.ts'
import { type WorkspaceCommit, workspaceLog } from './workspace-log.ts'
import { type WorkspaceRecord, writeRecord } from './workspace-record.ts'

export interface RollbackRequest {
  /** Only the changes from this call. */
  readonly call?: string | undefined
  /** Only the changes of this session, if several share the workspace. */
  readonly session?: string | undefined
}

export type RollbackResult =
  | {
      readonly kind: 'undone'
      readonly steps: readonly WorkspaceCommit[]
      readonly files: readonly string[]
      readonly record: WorkspaceRecord
    }
  | { readonly kind: 'nothing' }
  /** Later changes depend on it; nothing was changed. */
  | {
      readonly kind: 'in_the_way'
      readonly files: readonly string[]
      readonly by: readonly WorkspaceCommit[]
    }

/** Undoes changes in a workspace with a new commit; the history is kept. All changes are committed first. */
export async function rollbackWorkspace(
  home: Home,
  record: WorkspaceRecord,
  { call, session }: RollbackRequest,
  signal?: AbortSignal,
): Promise<RollbackResult> {
  const at = await gitInWorkspace(home, record, signal)
  const log = await workspaceLog(record, at)
  const undone = new Set(log.flatMap(({ undoes }) => undoes))
  const isMeant = (step: WorkspaceCommit) =>
    (call === undefined || step.call === call) && (session === undefined || step.session === session)
  const meant = log.filter((step) => isMeant(step) && step.undoes.length === 0 && !undone.has(step.commit))
  if (call !== undefined && !log.some(isMeant)) throw unknownCall(call, record, log)
  if (meant.length === 0) return { kind: 'nothing' }
  let tree = await treeOf(record.tip, at)
  // In reverse order, because later changes may depend on earlier ones.
  for (const step of meant.toReversed()) {
    const merged = await mergeTrees({ base: step.commit, ours: tree, theirs: step.before }, at)
    if (merged.kind === 'conflicts') {
      const later = log.slice(log.indexOf(step) + 1).filter((other) => !undone.has(other.commit))
      const by = await touching(later, merged.files)
      return { kind: 'in_the_way', files: merged.files, by }
    }
    tree = merged.tree
  }
  const files = await diffNames(record.tip, tree, at)
  const [only] = meant
  const subject =
    meant.length === 1 && only !== undefined ? `Undo ${only.subject}` : `Undo ${meant.length} changes`
  const undoes = meant.map(({ commit }) => commit)
  const message = commitMessage({ subject, session: session ?? record.session, undoes })
  const made = await commitTree({ ...at, tree, parent: record.tip, message, evenIfSame: true })
  await applyTree(record.tip, tree, at)
  await git(['update-ref', '-m', 'cadre: rollback', `refs/heads/${record.branch}`, made as string], at)
  const next = { ...record, tip: made as string }
  writeRecord(home, next)
  publishIndex(next, at.index)
  return { kind: 'undone', steps: meant, files, record: next }

  async function touching(
    steps: readonly WorkspaceCommit[],
    names: readonly string[],
  ): Promise<WorkspaceCommit[]> {
    const found: WorkspaceCommit[] = []
    for (const step of steps) {
      const touched = await diffNames(step.before, step.commit, at)
      if (touched.some((name) => names.includes(name))) found.push(step)
    }
    return found
  }
}

function unknownCall(
  call: string,
  { session }: WorkspaceRecord,
  log: readonly WorkspaceCommit[],
): CadreError {
  const known = log.flatMap((step) => step.call ?? [])
  const list =
    known.length === 0 ? 'It has changed nothing.' : `Calls that did: ${[...new Set(known)].join(', ')}.`
  return new CadreError(
    'not_found',
    `call ${JSON.stringify(call)} changed nothing in the workspace of ${session}. ${list}`,
  )
}
