import { existsSync, lstatSync } from 'node:fs'
import path from 'node:path'
import type { Home } from '@cadre/home'
import type { UnwritablePaths } from '../effects/denied-paths.ts'
import type { Baseline } from './baseline.ts'
import { findReadOnlyPaths, type ReadOnlyPaths } from './find-hidden-paths.ts'
import { findNested, type NestedFindings } from './find-nested.ts'
import { isHarmlessRepository } from './harmless-repository.ts'
import { takeSnapshot } from './keep-snapshot.ts'
import { type ExpectedChanges, type ProtectedChange, undoChanges } from './undo-changes.ts'

/** Something that ran in a workspace, and the state of the workspace before. */
export interface GuardedRun {
  readonly baseline: Baseline
  readonly deps: {
    readonly home?: Home | undefined
    readonly unwritableIn?: ((workspace: string) => UnwritablePaths | undefined) | undefined
  }
  readonly unchangeable: Extract<ReadOnlyPaths, { kind: 'found' }>
  /** When the paths were searched. */
  readonly began: number
  /** Saves what is about to be removed. */
  readonly keep?: ExpectedChanges['keep']
}

/**
 * Removes new agent files and hooks in subfolders. A new repository may stay, including one from `git clone`, unless it
 * would start something when a person uses it. A repository without a `.git` is removed: it can hide in any folder, and the
 * file tools could not recognise it.
 */
export function undoNested({
  baseline,
  began,
  keep,
}: Pick<GuardedRun, 'baseline' | 'began' | 'keep'>): ProtectedChange[] {
  const { root, nested, repositories } = baseline.guarded
  const known = new Set([...nested.places, ...repositories])
  const now = findNested(root)
  const created = [path.join(root, '.git'), ...now.places].filter(
    (place) =>
      !known.has(place) &&
      existsSync(place) &&
      (path.basename(place) !== '.git' || !isHarmlessRepository(place, repositories)),
  )
  return removeCreated([...created, ...newRepositoryParts(nested, now, began)], keep)
}

/** Returns the files that turned a folder into a repository. Nothing else in that folder is touched. */
function newRepositoryParts(before: NestedFindings, now: NestedFindings, began: number): string[] {
  const known = new Set(before.parts)
  const isNewIn = (folder: string) => !before.bare.includes(folder)
  const made = now.parts.filter(
    (part) => isNewIn(path.dirname(part)) && now.bare.includes(path.dirname(part)),
  )
  // If the tree was not searched completely, the repository may have existed before. Then removing one small file is
  // enough.
  const isOurs = (part: string) => before.isWhole || /^(head|commondir)$/i.test(path.basename(part))
  return made.filter((part) => !known.has(part) && isOurs(part) && wasCreatedSince(part, began))
}

/** Removes files that a command created although the policy denies writing them. Existing files are held or compared. */
export async function undoDenied({
  baseline,
  deps,
  unchangeable,
  began,
  keep,
}: GuardedRun): Promise<ProtectedChange[]> {
  const { root } = baseline.guarded
  const unwritable = deps.unwritableIn?.(root)
  if (unwritable === undefined) return []
  const now = await findReadOnlyPaths(root, unwritable, deps.home?.path)
  // Too many to distinguish from existing files.
  if (now.kind === 'refused') return [{ path: root, what: 'changed', undone: false }]
  const known = new Set(unchangeable.named)
  return removeCreated(
    now.named.filter((place) => !known.has(place) && wasCreatedSince(place, began)),
    keep,
  )
}

/** True if something was created or renamed since then: files that were only missed before are never removed. */
function wasCreatedSince(place: string, began: number): boolean {
  const stats = lstatSync(place, { throwIfNoEntry: false })
  // Some file systems have a resolution of one second.
  return stats !== undefined && stats.ctimeMs >= began - 1_000
}

function removeCreated(places: readonly string[], keep: ExpectedChanges['keep']): ProtectedChange[] {
  const { above } = takeSnapshot(places)
  return undoChanges(
    { paths: places, kept: new Map(), above },
    { skip: () => false, settle: () => 'undo', ...(keep && { keep }) },
  )
}
