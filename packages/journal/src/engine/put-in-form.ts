import { truncateSync } from 'node:fs'
import type { Journal } from '../format/read-journal.ts'
import type { EngineParts, JournalDiagnostic } from './engine-parts.ts'
import { keepOriginal, keepTorn } from './keep-beside.ts'
import type { SessionFile } from './session-file.ts'
import { writeAnew } from './write-anew.ts'

/**
 * Makes a file that was just read ready for further entries: a cut entry is cut off, a form that cannot be continued is
 * written anew. `kept`: the bytes that were read are still those of the file, up to `journal.good`.
 */
export function putInForm(file: SessionFile, journal: Journal, parts: EngineParts): 'kept' | 'written' {
  if (journal.torn !== undefined) {
    const beside = keepTorn(file.path, journal.torn)
    truncateSync(file.path, journal.good)
    note(
      file,
      'journal.torn',
      `The last entry is incomplete. Cadre removed it and kept it as ${beside}.`,
      file.path,
      parts,
    )
  }
  const isPlaced = file.takePlace()
  if (journal.layout !== undefined) {
    if (!isPlaced) return 'kept'
    writeAnew(file, parts)
    return 'written'
  }
  // A person who begins a session in an editor has other things to write down than the time.
  if (file.spec.created === '') file.spec = { ...file.spec, created: new Date().toISOString() }
  const beside = keepOriginal(file.path)
  writeAnew(file, parts)
  const message = `Cadre rewrote the session file in its usual format and kept the original as ${beside}.`
  parts.report({ code: 'journal.normalised', message, session: file.id, where: file.path })
  return 'written'
}

/** Told to whoever looks at the diagnostics, and recorded in the journal with the next write. */
export function note(
  file: SessionFile,
  type: JournalDiagnostic['code'],
  content: string,
  where: string,
  parts: EngineParts,
): void {
  file.notes.push({ role: 'event', type, content })
  parts.report({ code: type, message: content, session: file.id, where })
}
