import { type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasCode, readRegularFile } from '@cadre/disk'
import { type Journal, readJournal } from '../format/read-journal.ts'
import { type EngineParts, readOptions } from './engine-parts.ts'
import { prepareFile } from './prepare-file.ts'
import type { SessionFile } from './session-file.ts'

/** The content of a session file at one moment. */
export interface Snapshot {
  readonly stats: Stats
  readonly size: number
  /** Absent if the process that created the file died before it wrote the header. */
  readonly journal: Journal | undefined
}

/** Reads a session file without changing it. Returns `undefined` if there is none. */
export function takeSnapshot(id: string, parts: Pick<EngineParts, 'home' | 'adopt'>): Snapshot | undefined {
  const options = readOptions(parts, id)
  try {
    for (let attempt = 1; ; attempt++) {
      const stats = statSync(options.path, { throwIfNoEntry: false })
      if (stats === undefined) return undefined
      const bytes = readRegularFile(options.path)
      // Another process wrote in between. Read again, so that size and content match.
      if (bytes.length !== stats.size && attempt < 50) continue
      return { stats, size: bytes.length, journal: readJournal(bytes, options) }
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Prepares a file that was just read for further entries. */
export function continueJournal(file: SessionFile, { stats, journal }: Snapshot, parts: EngineParts): void {
  if (journal === undefined) throw new Error('unreachable: the session to continue has no header')
  file.load(journal)
  if (prepareFile(file, journal, parts) === 'written') return
  file.remember(journal.torn === undefined ? stats : statSync(file.path))
  // The file may not be synced, and frames contain only later entries.
  parts.ahead.include(file.path)
  parts.ahead.include(dirname(file.path))
}
