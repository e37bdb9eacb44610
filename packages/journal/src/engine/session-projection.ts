/**
 * Session files of sessions that another engine runs. The file shows the record and a person may edit it, but it is not the record: the
 * header names the place that runs the session, and the engine on files refuses to open it.
 *
 * 1. Entries are appended. The file is rewritten only when its header has changed, or if it is not as it was last written.
 * 2. The caller holds the lease of the tree while it writes.
 */
import { createHash } from 'node:crypto'
import { appendFileSync, closeSync, fdatasyncSync, openSync, renameSync, statSync } from 'node:fs'
import type { Entry, StoredSession } from '@cadre/core'
import { ownerOnly, readRegularFile, stampOf, writeFully } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { emitEntry } from '../format/emit-entry.ts'
import { emitHeader } from '../format/emit-header.ts'
import { corruptError, readJournal } from '../format/read-journal.ts'
import { readOptions, sessionPath } from './engine-parts.ts'

/** The key of the header that names the place. */
export const placeKey = 'engine_place'

/** 96 bits: two entries of a session never have the same key by accident. */
const keyLength = 16

/** What was last written to a file. */
export interface Projected {
  readonly stamp: string
  readonly header: string
  readonly updated: string
  /** How many entries the file has, and the text of the last one. */
  readonly count: number
  readonly last: string
  /** How many entries the last call appended, or `undefined` if it rewrote the file. */
  readonly appended: number | undefined
}

export interface ProjectedSession {
  readonly stored: StoredSession
  /** Absent if the session belongs to the engine on files. */
  readonly place: string | undefined
  readonly stamp: string
  /** The last entry is incomplete, and not in `stored`. A program may be writing the file. */
  readonly isTorn: boolean
}

/** Writes the record of a session to its file. `known` is the result of the last call. */
export function projectSession(
  home: Home,
  stored: StoredSession,
  { place, known }: { readonly place: string; readonly known: Projected | undefined },
): Projected {
  const { spec, status, outcome, entries } = stored
  const path = sessionPath(home, spec.id)
  const headerWith = (updated: string) =>
    emitHeader(spec, { status, outcome, updated, extra: { [placeKey]: place } }).text
  const isUnchanged = known !== undefined && stampAt(path) === known.stamp
  const continues =
    isUnchanged &&
    known.count <= entries.length &&
    textAt(entries, known.count) === known.last &&
    // An edit may have changed any entry.
    !entries.slice(known.count).some((entry) => entry.role === 'event' && entry.type === 'journal.edited')
  // While a session runs, the time alone is no reason to rewrite the file.
  if (continues && headerWith(status === 'active' ? known.updated : stored.updated) === known.header) {
    const added = entries.slice(known.count)
    if (added.length === 0) return { ...known, appended: 0 }
    appendFileSync(path, added.map(emitEntry).join(''))
    const last = textAt(entries, entries.length)
    return { ...known, stamp: stampAt(path), count: entries.length, last, appended: added.length }
  }
  const header = headerWith(stored.updated)
  replace(home, path, header + entries.map(emitEntry).join(''))
  const last = textAt(entries, entries.length)
  return {
    stamp: stampAt(path),
    header,
    updated: stored.updated,
    count: entries.length,
    last,
    appended: undefined,
  }
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

function replace(home: Home, path: string, text: string): void {
  home.folder('sessions')
  const beside = `${path}.tmp`
  const target = openSync(beside, 'w', ownerOnly)
  try {
    writeFully(target, Buffer.from(text), 0)
    fdatasyncSync(target)
  } finally {
    closeSync(target)
  }
  renameSync(beside, path)
}
