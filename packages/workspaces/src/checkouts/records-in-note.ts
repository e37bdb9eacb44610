import { realpathSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { readRecord, type WorkspaceRecord } from '../workspace-record.ts'
import type { CheckoutPaths } from './checkout-paths.ts'
import type { SnapshotNote } from './snapshot-note.ts'

export interface RecordsInNoteOptions {
  readonly home: Home
  readonly paths: CheckoutPaths
  /** The tree that the note belongs to, and its checkout. */
  readonly root: string
  readonly folder: string
}

/**
 * Returns the records of the isolated workspaces in a note. Anyone who can push to the repository can write a note, so its workspaces may use
 * only folders of this tree, and no session of another tree. Returns `undefined` otherwise.
 */
export function recordsInNote(
  note: SnapshotNote,
  { home, paths, root, folder }: RecordsInNoteOptions,
): readonly WorkspaceRecord[] | undefined {
  const workspaces = realpathSync(home.at('workspaces'))
  const own = [folder, ...note.workspaces.map(({ session }) => path.join(workspaces, session))]
  const isOwn = (place: string) => place === path.resolve(place) && own.some((top) => isInside(top, place))
  const commonDir = path.join(folder, '.git')
  const records = note.workspaces.map((workspace): WorkspaceRecord | undefined => {
    const local = paths.toLocal(workspace)
    const { session, path: place, base, target } = local
    const top = path.join(workspaces, session)
    const known = readRecord(home, session)
    if (![place, base, target].every(isOwn) || !isInside(top, place)) return undefined
    if (known !== undefined && known.root !== root) return undefined
    const gitDir = path.join(commonDir, 'worktrees', session)
    return { ...local, root, top, commonDir, gitDir, kind: 'worktree', state: 'ready' }
  })
  return records.every((record) => record !== undefined) ? records : undefined
}
