import {
  applyTree,
  type ChangedEntry,
  changedEntries,
  diffNames,
  git,
  ignoredInIndex,
  type MergeSides,
  mergeTrees,
  stagePaths,
  treeWithout,
  withIndexOf,
} from '@cadre/disk'
import type { Home } from '@cadre/home'
import { gitInWorkspace, type WorkTreeRequest } from './workspace-git.ts'
import { indexFile, type WorkspaceRecord } from './workspace-record.ts'

/**
 * Splits the changes of a workspace. `sides` are changes to files that the repository tracks or can track. `ignored` are
 * ignored files that a tool named: they are merged into the folder, but not committed.
 */
export interface SplitChanges {
  readonly sides: Omit<MergeSides, 'ours'>
  readonly ignored: readonly ChangedEntry[]
}

/** All unmerged changes. */
export async function splitChanges(home: Home, record: WorkspaceRecord): Promise<SplitChanges> {
  const at = { ...(await gitInWorkspace(home, record)), index: `${indexFile(home, record.session)}.part` }
  const [base, theirs] = [record.merged ?? record.start, record.tip]
  const changed = await changedEntries(base, theirs, at)
  const some = changed.flatMap(({ before, after }) => after ?? before ?? [])
  const named = new Set(some.length === 0 ? [] : await withIndexOf(some, at, () => ignoredInIndex(at)))
  if (named.size === 0) return { sides: { base, theirs }, ignored: [] }
  // Files that the repository tracked from the start are not ignored, whatever its rules are now.
  const held = await git(['ls-tree', '-r', '-z', '--name-only', record.start], at)
  for (const name of held.split('\0')) named.delete(name)
  const names = [...named]
  const [visibleBase, visible] = [await treeWithout(base, names, at), await treeWithout(theirs, names, at)]
  return {
    sides: { base: visibleBase, theirs: visible },
    ignored: changed.filter(({ name }) => named.has(name)),
  }
}

export type IgnoredPlan =
  | { readonly kind: 'ready'; readonly files: readonly string[]; readonly apply: () => Promise<void> }
  | { readonly kind: 'conflicts'; readonly files: readonly string[] }

/** Plans the merge of ignored files into a folder. Nothing changes before `apply`. */
export async function planIgnored(
  ignored: readonly ChangedEntry[],
  target: WorkTreeRequest & { readonly index: string },
): Promise<IgnoredPlan> {
  if (ignored.length === 0) return { kind: 'ready', files: [], apply: async () => {} }
  const names = ignored.map(({ name }) => name)
  const write = async () => (await git(['write-tree'], target)).trim()
  const base = await withIndexOf(
    ignored.flatMap(({ before }) => before ?? []),
    target,
    write,
  )
  const theirs = await withIndexOf(
    ignored.flatMap(({ after }) => after ?? []),
    target,
    write,
  )
  const ours = await withIndexOf([], target, async () => {
    await stagePaths(names, target)
    return write()
  })
  const merged = await mergeTrees({ base, ours, theirs }, target)
  if (merged.kind === 'conflicts') return merged
  const files = await diffNames(ours, merged.tree, target)
  const apply = () =>
    withIndexOf([], target, async () => {
      await git(['read-tree', ours], target)
      await applyTree(ours, merged.tree, target)
    })
  return { kind: 'ready', files, apply }
}
