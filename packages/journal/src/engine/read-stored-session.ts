import type { StoredSession } from '@cadre/core'
import { hasCode, readRegularFile } from '@cadre/disk'
import { type Home, isSessionName } from '@cadre/home'
import { readJournal } from '../format/read-journal.ts'
import { readOptions, sessionPath } from './engine-parts.ts'

/**
 * Reads a session from its file without an engine: takes no lease, and repairs nothing. Omits an incomplete last entry. Returns
 * `undefined` if there is no such session, and throws `corrupt` if the file cannot be read.
 */
export function readStoredSession(home: Home, id: string): StoredSession | undefined {
  const bytes = readSessionBytes(home, id)
  const journal = bytes && readJournal(bytes, readOptions({ home }, id))
  if (journal === undefined) return undefined
  const { spec, status, outcome, updated, entries } = journal
  return { spec, status, outcome, updated, entries }
}

/** The bytes of a session file, or `undefined` if there is none. */
export function readSessionBytes(home: Home, id: string): Buffer | undefined {
  if (!isSessionName(id)) return undefined
  try {
    return readRegularFile(sessionPath(home, id))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}
