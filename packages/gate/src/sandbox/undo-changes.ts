import {
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/disk'
import { type RecordedState, readState, type Snapshot, takeSnapshot } from './keep-snapshot.ts'

/** What a command did to something protected. */
export interface ProtectedChange {
  readonly path: string
  readonly what: 'changed' | 'deleted' | 'created' | 'replaced'
  /** False: not restored, so a person has to check it. */
  readonly undone: boolean
  /** Where Cadre saved what was there: the file, or the files of the folder. */
  readonly copies?: readonly string[]
}

/** Changes that are expected while a command is running. */
export interface ExpectedChanges {
  readonly skip: (path: string) => boolean
  /** Classifies a change: expected, to be undone, or replaced by this content. */
  readonly settle: (change: Change) => 'fine' | 'undo' | Buffer
  /** Called before something is restored, to save its current state. Returns the path of the copy. Must not throw. */
  readonly keep?: (change: Change) => string | undefined
  /** Called when everything is restored. */
  readonly restored?: () => void
}

export interface Change {
  readonly path: string
  readonly before: RecordedState | undefined
  readonly after: RecordedState | undefined
}

/** The number of passes: a command can create so many files that one pass does not see all of them. */
const maxPasses = 20

/** Compares the current state with the snapshot, and restores differences. Never throws. */
export function undoChanges(snapshot: Snapshot, expected: ExpectedChanges): ProtectedChange[] {
  const found = new Map<string, ProtectedChange>()
  for (let look = 0; look < maxPasses; look++) {
    const changes = undoOnce(snapshot, expected)
    const fresh = changes.filter((change) => !found.has(change.path))
    for (const change of fresh) found.set(change.path, change)
    // A change that cannot be undone is found again in the next pass.
    if (fresh.length === 0) break
  }
  attempt(() => expected.restored?.())
  return withoutParts([...found.values()])
}

function undoOnce(snapshot: Snapshot, { skip, settle, keep }: ExpectedChanges): ProtectedChange[] {
  const changes: ProtectedChange[] = []
  // From the top down: files below a link that the command created must not be touched.
  for (const [place, before] of [...snapshot.above].sort(([a], [b]) => a.length - b.length)) {
    const after = readState(place, 0)
    if (after?.kind === before.kind && (before.kind === 'folder' || isSame(before, after))) continue
    changes.push({ path: place, what: 'replaced', undone: attempt(() => restorePath(place, before)) })
  }
  for (const place of snapshot.paths) {
    const link = newLinkAbove(place, snapshot)
    if (link === undefined) continue
    const copy = keep?.({ path: link, before: undefined, after: readState(link, 0) })
    changes.push({ path: link, what: 'created', undone: attempt(() => unlinkSync(link)), ...copiesOf(copy) })
  }
  const now = takeSnapshot(snapshot.paths, skip)
  const all = [...new Set([...snapshot.kept.keys(), ...now.kept.keys()])].sort()
  for (const place of all) {
    const before = snapshot.kept.get(place)
    // Checked only now, because restoring its parent may have restored it.
    const after = now.kept.get(place)
    if (isSame(before, after)) continue
    const settled = settle({ path: place, before, after })
    if (settled === 'fine') continue
    const copy = keep?.({ path: place, before, after })
    const what =
      before === undefined ? 'created' : after === undefined ? 'deleted' : kindOfChange(before, after)
    const kept = before ?? after
    const wanted = settled === 'undo' || kept?.kind !== 'file' ? before : { ...kept, content: settled }
    changes.push({ path: place, what, undone: attempt(() => restorePath(place, wanted)), ...copiesOf(copy) })
  }
  return changes
}

function copiesOf(copy: string | undefined): Pick<ProtectedChange, 'copies'> {
  return copy === undefined ? {} : { copies: [copy] }
}

function isSame(before: RecordedState | undefined, after: RecordedState | undefined): boolean {
  if (before === undefined || after === undefined) return before === after
  if (before.kind === 'link') return after.kind === 'link' && after.target === before.target
  if (before.kind === 'folder') return after.kind === 'folder' && after.mode === before.mode
  if (before.kind === 'other') return after.kind === 'other'
  if (after.kind !== 'file' || after.mode !== before.mode) return false
  if (after.mark === before.mark) return true
  return before.content !== undefined && after.content !== undefined && before.content.equals(after.content)
}

function kindOfChange(before: RecordedState, after: RecordedState): 'changed' | 'replaced' {
  return before.kind === after.kind && before.kind !== 'link' ? 'changed' : 'replaced'
}

function restorePath(place: string, wanted: RecordedState | undefined): void {
  if (wanted?.kind === 'folder') restoreFolder(place, wanted.mode)
  else if (wanted?.kind === 'file') restoreFile(place, wanted)
  else if (wanted?.kind === 'other') throw new Error('Cadre cannot recreate a device or socket')
  else rmSync(place, { recursive: true, force: true })
  if (wanted?.kind === 'link') symlinkSync(wanted.target, place)
}

function restoreFile(place: string, { content, mode }: Extract<RecordedState, { kind: 'file' }>): void {
  if (content === undefined) throw new Error('the file was too large to keep a copy of it')
  if (isFolder(place)) rmSync(place, { recursive: true, force: true })
  // Written to a temporary file and renamed: readers never see half of it, and hard links of the changed file are not
  // affected.
  const draft = `${place}.cadre-undo`
  rmSync(draft, { recursive: true, force: true })
  writeFileSync(draft, content, { flag: 'wx', mode })
  chmodSync(draft, mode)
  renameSync(draft, place)
}

function restoreFolder(place: string, mode: number): void {
  if (!isFolder(place)) {
    rmSync(place, { force: true })
    mkdirSync(place, { mode })
  }
  if (mode !== (lstatSync(place).mode & 0o7777)) chmodSync(place, mode)
}

/** Returns the first link above a path that was not there before. */
function newLinkAbove(place: string, { above }: Snapshot): string | undefined {
  const folders: string[] = []
  for (let folder = path.dirname(place); path.dirname(folder) !== folder; folder = path.dirname(folder))
    folders.unshift(folder)
  return folders.find((folder) => !above.has(folder) && readState(folder, 0)?.kind === 'link')
}

function isFolder(place: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch {
    return false
  }
}

function attempt(work: () => void): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

/** Of a folder that was created or removed with its contents, keeps only the folder, with the copies of its contents. */
function withoutParts(changes: readonly ProtectedChange[]): ProtectedChange[] {
  const whole = new Set(changes.filter(({ what }) => what !== 'changed').map((change) => change.path))
  return changes
    .filter((change) => change.what === 'changed' || !whole.has(path.dirname(change.path)))
    .map((change) => {
      if (change.what === 'changed') return change
      const parts = changes.filter((part) => part.what !== 'changed' && isInside(change.path, part.path))
      const copies = parts.flatMap((part) => part.copies ?? [])
      return copies.length === 0 ? change : { ...change, copies }
    })
}
