import { readFileSync, type Stats, statSync } from 'node:fs'
import { CadreError, sentenceOf } from '@cadre/core'
import { hasCode, readRegularFile } from '@cadre/disk'
import { isUnsandboxedCommandRunning, rememberOwnWrite } from '@cadre/home'
import { emitEntry } from '../format/emit-entry.ts'
import { type Journal, readJournal } from '../format/read-journal.ts'
import { backUpEdit, moveAside } from './back-up-file.ts'
import { describeChange } from './describe-change.ts'
import { type EngineParts, readOptions } from './engine-parts.ts'
import { prepareFile, reportDiagnostic } from './prepare-file.ts'
import { adoptContent, rewriteFile } from './rewrite-file.ts'
import type { SessionFile } from './session-file.ts'

/** After this many checks, a file that keeps changing is read anyway. */
const maxChecks = 50

/** `unsettled`: another program is writing the file. Do not write, and check again later. */
export type EditCheck = 'same' | 'changed' | 'unsettled'

/**
 * Checks whether the file was edited since the last write, and applies the edit. Exceptions: an unreadable file, and an edit made while a
 * command ran without a sandbox. These are kept in another file, and the session file is restored. Costs one system call if nothing has
 * changed. Misses an edit of equal size within the same clock tick of the file system.
 */
export function checkForEdit(file: SessionFile, parts: EngineParts): EditCheck {
  const stats = statsOf(file.path)
  if (stats !== undefined && file.isSame(stats)) return 'same'
  if (isUnsandboxedCommandRunning(parts.home)) {
    restoreFile(file, stats, parts)
    return 'changed'
  }
  const seen = stats === undefined ? 'gone' : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`
  const isSettled = file.seen === seen || file.checks > maxChecks
  const look = applyEdit(file, stats, isSettled, parts)
  file.seen = look === 'unsettled' ? seen : undefined
  file.checks = look === 'unsettled' ? file.checks + 1 : 0
  return look
}

/** An agent could have written the file, for example an approval of its own call. */
function restoreFile(file: SessionFile, stats: Stats | undefined, parts: EngineParts): void {
  const beside = stats?.isFile() !== true || stats.size === 0 ? undefined : backUpEdit(file.path)
  if (beside !== undefined) rememberOwnWrite(beside, readFileSync(beside))
  const kept = beside === undefined ? '' : ` and kept the changed file as ${beside}`
  const message = `The session file was changed while a command ran without a sandbox. Cadre restored it${kept}`
  restore(file, message, undefined, parts)
}

function applyEdit(
  file: SessionFile,
  stats: Stats | undefined,
  isSettled: boolean,
  parts: EngineParts,
): EditCheck {
  if (stats?.isFile() !== true) {
    if (!isSettled) return 'unsettled'
    const what = stats === undefined ? 'removed' : 'replaced by something that is not a file'
    restore(file, `The session file was ${what}. Cadre wrote it again`, undefined, parts)
    return 'changed'
  }
  const bytes = readRegularFile(file.path)
  const reading = read(file, bytes, parts)
  // An editor that writes in place truncates the file first, so an incomplete file is not treated as an edit yet.
  const isWhole = !(reading instanceof CadreError) && reading.torn === undefined
  if (!isWhole && !isSettled) return 'unsettled'
  if (reading instanceof CadreError) {
    const beside = bytes.length === 0 ? undefined : backUpEdit(file.path)
    const kept = beside === undefined ? '' : ` and kept the changed file as ${beside}`
    restore(file, `${sentenceOf(reading)} Cadre restored the file${kept}`, reading.where, parts)
  } else adopt(file, reading, { bytes, stats }, parts)
  return 'changed'
}

function read(file: SessionFile, bytes: Buffer, parts: EngineParts): Journal | CadreError {
  const where = `${file.path}:1`
  try {
    const options = { ...readOptions(parts, file.id), writtenUpTo: file.lastSeq }
    const journal = readJournal(bytes, options)
    if (journal === undefined)
      return new CadreError('corrupt', 'the session file no longer has messages.', { where })
    if (journal.name === undefined || journal.name === file.id) return journal
    return new CadreError('corrupt', `the session file now belongs to session ${journal.name}.`, { where })
  } catch (error) {
    if (error instanceof CadreError) return error
    throw error
  }
}

interface Content {
  readonly bytes: Buffer
  readonly stats: Stats
}

function adopt(file: SessionFile, journal: Journal, { bytes, stats }: Content, parts: EngineParts): void {
  const before = { entries: file.entries, systemPrompt: file.spec.systemPrompt }
  const state = file.wanted ?? file.state
  file.load(journal)
  settleUncertain(file)
  file.wanted = state
  if (prepareFile(file, journal, parts) === 'kept') {
    // The stats from before the read, so that the next check finds a later edit.
    const now = journal.torn === undefined ? stats : statSync(file.path)
    adoptContent(file, bytes.subarray(0, journal.good), parts, now)
  }
  const change = describeChange(before, { entries: file.entries, systemPrompt: file.spec.systemPrompt })
  if (change === undefined) return
  file.change = change
  reportDiagnostic(file, 'journal.edited', change, file.path, parts)
}

function restore(file: SessionFile, message: string, where: string | undefined, parts: EngineParts): void {
  for (const waiter of file.unsure) waiter.entries = []
  // A file cannot replace a folder.
  if (statsOf(file.path)?.isDirectory() === true) moveAside(file.path)
  rewriteFile(file, parts)
  reportDiagnostic(file, 'journal.edited', `${message}.`, where ?? file.path, parts)
}

/** Returns `undefined` for a broken link too. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (hasCode(error, 'ELOOP')) return undefined
    throw error
  }
}

/** Entries that were written while the file was replaced may be missing from it. Those are written again. */
function settleUncertain(file: SessionFile): void {
  const found = new Set(file.entries.map(emitEntry))
  for (const waiter of file.unsure) {
    const isThere = waiter.entries.length > 0 && waiter.entries.every((entry) => found.has(emitEntry(entry)))
    if (isThere) waiter.drafts = []
    else waiter.entries = []
  }
}
