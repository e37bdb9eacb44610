/**
 * Session files of sessions that another engine runs. The file shows the record and a person may edit it, but it is not the record: the
 * header names the place that runs the session, and the engine on files refuses to open it.
 *
 * 1. Entries are appended. The file is rewritten only when its header has changed, or if it is not as it was last written.
 * 2. The caller holds the lease of the tree while it writes.
 * 3. A record comes from another machine, so it is written only to the file of the session and the tree that were asked for.
 * 4. A file is replaced only if it is as this process wrote it, or as the caller has read it. What another program saves in the meantime stays
 *    in the file or is kept beside it. An editor that renames its file can lose this race within microseconds.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { CadreError, type Entry, type StoredSession } from '@cadre/core'
import { ownerOnly, readRegularFile, stampOf, writeFully } from '@cadre/disk'
import { checkSessionName, type Home, placeKey } from '@cadre/home'
import { emitEntry } from '../format/emit-entry.ts'
import { emitHeader } from '../format/emit-header.ts'
import { corruptError, readJournal } from '../format/read-journal.ts'
import { backUpEdit } from './back-up-file.ts'
import { readOptions, sessionPath } from './engine-parts.ts'

/** 96 bits: two entries of a session never have the same key by accident. */
const keyLength = 16

/** What was last written to a file. */
export interface Projected {
  /** Empty if another program changed the file at the same time. */
  readonly stamp: string
  readonly root: string
  readonly header: string
  readonly updated: string
  /** How many entries the file has, and the text of the last one. */
  readonly count: number
  readonly last: string
  /** How many entries the last call appended, or `undefined` if it rewrote the file. */
  readonly appended: number | undefined
  /** A copy of what another program wrote to the file while it was replaced. */
  readonly kept?: string
}

export interface ProjectOptions {
  readonly id: string
  readonly root: string
  readonly place: string
  /** The result of the last call. */
  readonly known: Projected | undefined
  /** The stamp of a file that is not as it was last written, and that may be replaced. */
  readonly read?: string | undefined
}

export interface ProjectedSession {
  readonly stored: StoredSession
  /** Absent if the session belongs to the engine on files. */
  readonly place: string | undefined
  readonly stamp: string
  /** The last entry is incomplete, and not in `stored`. A program may be writing the file. */
  readonly isTorn: boolean
}

/**
 * Writes the record of a session to its file. Returns `changed` and writes nothing if the file is neither as it was last written nor as the
 * caller has read it. Throws if the record is of another session or tree.
 */
export function projectSession(
  home: Home,
  stored: StoredSession,
  { id, root, place, known, read }: ProjectOptions,
): Projected | 'changed' {
  requireRecordOf(id, root, stored)
  const { spec, status, outcome, entries } = stored
  const file = sessionPath(home, id)
  const headerWith = (updated: string) =>
    emitHeader(spec, { status, outcome, updated, extra: { [placeKey]: place } }).text
  const before = stampAt(file)
  const isUnchanged = before !== '' && before === known?.stamp
  if (isUnchanged && known.root !== root) throw otherOwner(id)
  if (before !== '' && !isUnchanged && before !== read) return 'changed'
  const continues =
    isUnchanged &&
    known.count <= entries.length &&
    textAt(entries, known.count) === known.last &&
    // An edit may have changed any entry.
    !entries.slice(known.count).some((entry) => entry.role === 'event' && entry.type === 'journal.edited')
  const last = textAt(entries, entries.length)
  // While a session runs, the time alone is no reason to rewrite the file.
  if (continues && headerWith(status === 'active' ? known.updated : stored.updated) === known.header) {
    const added = entries.slice(known.count)
    if (added.length === 0) return { ...known, appended: 0 }
    const stamp = append(file, Buffer.from(added.map(emitEntry).join('')), before)
    if (stamp === undefined) return 'changed'
    return { ...known, stamp, count: entries.length, last, appended: added.length }
  }
  const header = headerWith(stored.updated)
  home.folder('sessions')
  const replaced = replace(file, header + entries.map(emitEntry).join(''), before)
  if (replaced === 'changed') return 'changed'
  const { updated } = stored
  return { ...replaced, root, header, updated, count: entries.length, last, appended: undefined }
}

/** Throws if a record is not the one of this session in this tree. */
export function requireRecordOf(id: string, root: string, { spec }: StoredSession): void {
  checkSessionName(id)
  if (spec.id === id && spec.root === root) return
  throw new CadreError(
    'corrupt',
    `the workers sent the record of session ${JSON.stringify(spec.id)} (tree ${JSON.stringify(spec.root)}) instead of that of ${id} (tree ${root}). Cadre did not write it.`,
  )
}

/** Throws if a file shows a session of another engine, place or tree. */
export function requireFileOf(root: string, place: string, { stored, place: other }: ProjectedSession): void {
  if (other !== place || stored.spec.root !== root) throw otherOwner(stored.spec.id)
}

function otherOwner(id: string): CadreError {
  return new CadreError(
    'owned',
    `the file of session ${id} belongs to a session of another engine, place or tree, so Cadre did not write the record of the workers to it. If you have changed its header, undo that. Otherwise move the file.`,
  )
}

/** Reads a session file as it is. Returns `undefined` if there is none, and throws `corrupt` if it cannot be read. */
export function readProjected(home: Home, id: string): ProjectedSession | undefined {
  const options = readOptions({ home }, id)
  const stamp = stampAt(options.path)
  if (stamp === '') return undefined
  const journal = readJournal(readRegularFile(options.path), options)
  if (journal === undefined) return undefined
  const { spec, status, outcome, updated, entries, extra, name } = journal
  if (name !== undefined && name !== id) throw corruptError(options.path, 1, `it belongs to session ${name}`)
  const place = extra[placeKey]
  return {
    stored: { spec, status, outcome, updated, entries },
    place: typeof place === 'string' ? place : undefined,
    stamp,
    isTorn: journal.torn !== undefined,
  }
}

/** A short text that is equal for entries with the same content. Their numbers and times may differ. */
export function entryKey(entry: Entry): string {
  return contentKey(emitEntry({ ...entry, seq: 0, timestamp: '' }))
}

export function contentKey(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, keyLength)
}

function textAt(entries: readonly Entry[], count: number): string {
  const entry = entries[count - 1]
  return entry === undefined ? '' : emitEntry(entry)
}

function stampAt(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? '' : stampOf(stats).is
}

/** Returns the new stamp, which is empty if another program wrote at the same time, or `undefined` if one has changed the file before. */
function append(file: string, bytes: Buffer, expected: string): string | undefined {
  const target = openSync(file, 'a', ownerOnly)
  try {
    const before = fstatSync(target)
    if (stampOf(before).is !== expected) return undefined
    writeFileSync(target, bytes)
    const after = fstatSync(target)
    const stamp = stampOf(after).is
    return after.size === before.size + bytes.length && stampAt(file) === stamp ? stamp : ''
  } finally {
    closeSync(target)
  }
}

function replace(
  file: string,
  text: string,
  expected: string,
): Pick<Projected, 'stamp' | 'kept'> | 'changed' {
  const beside = `${file}.tmp`
  const target = openSync(beside, 'w', ownerOnly)
  let ours: Stats
  try {
    writeFully(target, Buffer.from(text), 0)
    fdatasyncSync(target)
    ours = fstatSync(target)
  } finally {
    closeSync(target)
  }
  const old = statSync(file, { throwIfNoEntry: false })
  if ((old === undefined ? '' : stampOf(old).is) !== expected) {
    rmSync(beside)
    return 'changed'
  }
  const link = old === undefined ? undefined : linkTo(file)
  renameSync(beside, file)
  const kept = link !== undefined && old !== undefined ? keepIfChanged(file, link, old) : undefined
  const now = statSync(file, { throwIfNoEntry: false })
  const stamp = now !== undefined && isSameContent(now, ours) ? stampOf(now).is : ''
  return { stamp, ...(kept !== undefined && { kept }) }
}

/** A second name of a file that is about to be replaced, because an editor may be writing to it. Some file systems have no links. */
function linkTo(file: string): string | undefined {
  const link = path.join(path.dirname(file), `.${path.basename(file)}.old`)
  try {
    rmSync(link, { force: true })
    linkSync(file, link)
    return link
  } catch {
    return undefined
  }
}

function keepIfChanged(file: string, link: string, old: Stats): string | undefined {
  const kept = isSameContent(statSync(link), old) ? undefined : backUpEdit(link, file)
  rmSync(link)
  return kept
}

/** Links and renames change only the time of the last change of the inode. */
function isSameContent(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs
}
