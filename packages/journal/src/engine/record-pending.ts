import { ftruncateSync, statSync } from 'node:fs'
import type { Draft, Entry } from '@cadre/core'
import { hasCode, writeFully } from '@cadre/disk'
import { emitEntry } from '../format/emit-entry.ts'
import { emitOutcome, emitStamp } from '../format/emit-header.ts'
import { checkForEdit } from './check-for-edit.ts'
import type { EngineParts } from './engine-parts.ts'
import type { PendingStep, SessionFile } from './session-file.ts'

/**
 * Appends all pending entries of this session in one write, and adds the same bytes to the segment. Returns the waiters whose entries are
 * now in the file, or `undefined` if the file must not be written at the moment. Rejects waiters with invalid entries. If the write fails,
 * it throws, and all waiters keep waiting.
 *
 * 1. Numbers are assigned here, after checking the file for edits, so that they follow entries that a person added.
 * 2. Waiters resolve only after another check: an entry in a file that was replaced at that moment is not recorded.
 */
export function recordPending(file: SessionFile, parts: EngineParts): readonly PendingStep[] | undefined {
  if (checkForEdit(file, parts) === 'unsettled') return undefined
  const emission = emitAll(file, parts.timestamp())
  try {
    return write(file, emission, parts) ? emission.waiters : markUncertain(file, emission.waiters)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return markUncertain(file, emission.waiters)
    // None of them is in the file. A retry assigns new numbers.
    file.pending = [...emission.waiters, ...file.pending]
    throw error
  }
}

/** Returns false if the file was replaced in the meantime. */
function write(file: SessionFile, { timestamp, text, entries }: Emission, parts: EngineParts): boolean {
  const bytes = Buffer.from(text)
  const stamps = stampsOf(file, timestamp)
  if (bytes.length === 0 && stamps.length === 0) return true
  const target = parts.files.open(file)
  writeOrUndo(target, file.size, () => {
    writeFully(target, bytes, file.size)
    for (const stamp of stamps) writeFully(target, stamp.bytes, stamp.at)
  })
  const stats = statSync(file.path)
  if (stats.size !== file.size + bytes.length || stats.ino !== file.inode) return false

  if (!file.isBased) parts.ahead.add('opened', file, file.size)
  if (bytes.length > 0) parts.ahead.add('append', file, file.size, bytes)
  for (const stamp of stamps) parts.ahead.add('stamp', file, stamp.at, stamp.bytes)
  file.isBased = true
  file.lead = ''
  file.notes = []
  file.state = file.wanted ?? file.state
  file.wanted = undefined
  if (stamps.length > 0) file.updated = timestamp
  for (const entry of entries) file.entries.push(entry)
  file.remember(stats)
  return true
}

interface Emission {
  readonly timestamp: string
  readonly text: string
  readonly entries: readonly Entry[]
  readonly waiters: readonly PendingStep[]
}

/** Rejects entries that cannot be serialised. The others are not affected. */
function emitAll(file: SessionFile, timestamp: string): Emission {
  const entries: Entry[] = []
  let text = file.lead
  let seq = file.lastSeq
  const emit = (drafts: readonly Draft[]): readonly Entry[] => {
    const added = drafts.map((draft, index): Entry => ({ seq: seq + index + 1, timestamp, ...draft }))
    text += added.map(emitEntry).join('')
    seq += added.length
    entries.push(...added)
    return added
  }
  emit(file.notes)
  const waiters = file.takeWaiters().filter((waiter) => {
    try {
      if (waiter.drafts.length > 0) waiter.entries = emit(waiter.drafts)
      return true
    } catch (error) {
      waiter.reject(error)
      return false
    }
  })
  return { timestamp, text: entries.length > 0 || file.size === 0 ? text : '', entries, waiters }
}

function stampsOf(file: SessionFile, timestamp: string): { at: number; bytes: Buffer }[] {
  const { wanted, state, layout } = file
  if (wanted === undefined || (wanted.status === state.status && wanted.outcome === state.outcome)) return []
  return [
    { at: layout.outcomeAt, bytes: Buffer.from(emitOutcome(wanted.outcome)) },
    { at: layout.stampAt, bytes: Buffer.from(emitStamp(timestamp, wanted.status)) },
  ]
}

function writeOrUndo(target: number, position: number, write: () => void): void {
  try {
    write()
  } catch (error) {
    ftruncateSync(target, position)
    throw error
  }
}

/** The file was replaced during the write. The next check determines which entries are in it. */
function markUncertain(file: SessionFile, waiters: readonly PendingStep[]): undefined {
  file.unsure = [...waiters]
  return undefined
}
