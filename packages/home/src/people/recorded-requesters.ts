/**
 * The people who influenced a run outside a journal: who created or changed a task, and who changed what a session remembers. One small file for
 * each subject, in `storage/givers`, where no agent can write. Only the daemon writes these files, so they need no lock.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { hasCode, readRegularFile } from '@cadre/disk'
import type { Home } from '../home/home.ts'

/** `session`: the id of a session. `task`: the id of a task. */
export type RequesterSubject = 'session' | 'task'

/** Replaces a name: somebody influenced the run, and Cadre cannot tell who. No person can have this name. */
export const unknownRequester = '(unknown)'

/** Records people for a subject. Returns when the file is written. Throws system errors. */
export function recordRequesters(
  home: Home,
  kind: RequesterSubject,
  id: string,
  people: readonly string[],
): void {
  const known = readRequesters(home, kind, id)
  const all = [...new Set([...known, ...people])]
  if (all.length === known.length) return
  const file = fileOf(home, kind, id)
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, `${JSON.stringify({ [kind]: id, people: all })}\n`, { mode: 0o600, flush: true })
  renameSync(draft, file)
}

/** The people that were recorded for a subject, in order. A file that cannot be read names an unknown person. */
export function readRequesters(home: Home, kind: RequesterSubject, id: string): readonly string[] {
  try {
    return requestersIn(readRegularFile(fileOf(home, kind, id)).toString('utf8'))
  } catch (error) {
    return hasCode(error, 'ENOENT') ? [] : [unknownRequester]
  }
}

/** The people in the text of such a file. Something else names an unknown person. */
export function requestersIn(text: string): readonly string[] {
  try {
    const { people } = JSON.parse(text)
    if (Array.isArray(people) && people.every((name) => typeof name === 'string')) return people
  } catch {
    // Not JSON, or not an object.
  }
  return [unknownRequester]
}

function fileOf(home: Home, kind: RequesterSubject, id: string): string {
  // An id may have characters that a file name cannot have.
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 32)
  return home.at('storage', 'givers', `${kind}-${digest}.json`)
}
