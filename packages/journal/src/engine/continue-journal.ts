import { type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasCode, readRegular } from '@cadre/disk'
import { type Journal, readJournal } from '../format/read-journal.ts'
import { type EngineParts, readOptions } from './engine-parts.ts'
import { putInForm } from './put-in-form.ts'
import type { SessionFile } from './session-file.ts'

/** A session file as it was at one moment. */
export interface Snapshot {
  readonly stats: Stats
  readonly size: number
  /** Absent when the process that created it died before the header was written. */
  readonly journal: Journal | undefined
}

/** Reads a session file; changes nothing. `undefined` when there is none. */
export function takeSnapshot(id: string, parts: Pick<EngineParts, 'home' | 'adopt'>): Snapshot | undefined {
  const options = readOptions(parts, id)
  try {
    for (let attempt = 1; ; attempt++) {
      const stats = statSync(options.path, { throwIfNoEntry: false })
      if (stats === undefined) return undefined
      const bytes = readRegular(options.path)
      // Somebody wrote in between: what belongs together is read together.
      if (bytes.length !== stats.size && attempt < 50) continue
      return { stats, size: bytes.length, journal: readJournal(bytes, options) }
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Makes a file that was just read ready for further entries. */
export function continueJournal(file: SessionFile, { stats, journal }: Snapshot, parts: EngineParts): void {
  if (journal === undefined)
    throw new Error('unreachable: a session without a header is created, not continued')
  file.load(journal)
  if (putInForm(file, journal, parts) === 'written') return
  file.remember(journal.torn === undefined ? stats : statSync(file.path))
  // Whoever wrote the file may not have synced it, and frames only hold what comes now.
  parts.ahead.include(file.path)
  parts.ahead.include(dirname(file.path))
}
