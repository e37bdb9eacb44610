import { truncateSync } from 'node:fs'
import type { Journal } from '../format/read-journal.ts'
import { backUpOriginal, backUpTruncated } from './back-up-file.ts'
import type { EngineParts, JournalDiagnostic } from './engine-parts.ts'
import { rewriteFile } from './rewrite-file.ts'
import type { SessionFile } from './session-file.ts'

/**
 * Prepares a file that was just read for further entries: removes an incomplete entry, and rewrites a format that cannot be appended to.
 * `kept`: the file still has the bytes that were read, up to `journal.good`.
 */
export function prepareFile(file: SessionFile, journal: Journal, parts: EngineParts): 'kept' | 'written' {
  if (journal.torn !== undefined) {
    const beside = backUpTruncated(file.path, journal.torn)
    truncateSync(file.path, journal.good)
    reportDiagnostic(
      file,
      'journal.torn',
      `The last entry is incomplete. Cadre removed it and kept it as ${beside}.`,
      file.path,
      parts,
    )
  }
  const isPlaced = file.addWorkspace()
  if (journal.layout !== undefined) {
    if (!isPlaced) return 'kept'
    rewriteFile(file, parts)
    return 'written'
  }
  // People who write a session file omit the creation time.
  if (file.spec.created === '') file.spec = { ...file.spec, created: new Date().toISOString() }
  const beside = backUpOriginal(file.path)
  rewriteFile(file, parts)
  const message = `Cadre rewrote the session file in its usual format and kept the original as ${beside}.`
  parts.report({ code: 'journal.normalised', message, session: file.id, where: file.path })
  return 'written'
}

/** Reports a diagnostic, and records it in the journal with the next write. */
export function reportDiagnostic(
  file: SessionFile,
  type: JournalDiagnostic['code'],
  content: string,
  where: string,
  parts: EngineParts,
): void {
  file.notes.push({ role: 'event', type, content })
  parts.report({ code: type, message: content, session: file.id, where })
}
