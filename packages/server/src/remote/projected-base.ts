/**
 * Remembers what each session file contained when Cadre last wrote it or last sent its changes to the session. A change is the difference
 * from that. Keys of entries are appended to one small file per session, so that a daemon that was restarted finds edits too. If that file
 * is missing, only additions are found.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { writeFileAtomically } from '@cadre/channels'
import type { StoredSession } from '@cadre/core'
import { hasCode } from '@cadre/disk'
import { type Home, projectedFolder } from '@cadre/home'
import { contentKey, entryKey } from '@cadre/journal'

export interface FileBase {
  /** The keys of the entries. */
  readonly entries: readonly string[]
  /** The key of the system prompt. */
  readonly systemPrompt: string
}

export function readBase(home: Home, session: string): FileBase | undefined {
  try {
    const [systemPrompt = '', ...entries] = readFileSync(home.at(...projectedFolder, session), 'utf8').split(
      '\n',
    )
    return { systemPrompt, entries: entries.filter((key) => key !== '') }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** `appended`: how many entries were added at the end of the file, if it is otherwise as before. */
export function writeBase(home: Home, { spec, entries }: StoredSession, appended?: number): void {
  const lines = (keys: readonly string[]) => keys.map((key) => `${key}\n`).join('')
  if (appended !== undefined) {
    const added = entries.slice(entries.length - appended).map(entryKey)
    if (added.length > 0) appendFileSync(home.at(...projectedFolder, spec.id), lines(added))
    return
  }
  const keys = [contentKey(spec.systemPrompt), ...entries.map(entryKey)]
  writeFileAtomically(home, [...projectedFolder, spec.id], lines(keys))
}

export function isAtBase({ spec, entries }: StoredSession, base: FileBase | undefined): boolean {
  return (
    base !== undefined &&
    base.systemPrompt === contentKey(spec.systemPrompt) &&
    base.entries.length === entries.length &&
    entries.every((entry, index) => entryKey(entry) === base.entries[index])
  )
}
