import type { Stats } from 'node:fs'
import { Refusal } from '../refusal.ts'
import { applyEdits } from './apply-edits.ts'
import { applyHunks, reverseHunks } from './apply-hunks.ts'
import type { FileChange } from './changes-of.ts'
import type { ConfinedPath } from './confine-path.ts'
import type { DocumentsOfCall } from './documents.ts'
import { MissingFile, openRegularFile } from './open-file.ts'
import { decodeText } from './text.ts'
import { wereEditsMade } from './were-edits-made.ts'

/** The current state of a file. */
export interface FileOnDisk {
  readonly stats: Stats
  readonly bytes: Buffer
}

const maxBytes = 16 * 1_024 * 1_024

/** With `documents`, the bytes are the unsaved text of the editor, if there is one. */
export async function readExistingFile(
  file: ConfinedPath,
  documents?: Pick<DocumentsOfCall, 'read'>,
): Promise<FileOnDisk> {
  await using opened = await openRegularFile(file)
  if (opened.stats.size > maxBytes) throw new Refusal(`${file.shown} is too large to edit (more than 16 MB).`)
  const bytes = await opened.handle.readFile()
  return { stats: opened.stats, bytes: (await documents?.read(file, bytes)) ?? bytes }
}

export async function readFileIfExists(
  file: ConfinedPath,
  documents?: Pick<DocumentsOfCall, 'read'>,
): Promise<FileOnDisk | undefined> {
  try {
    return await readExistingFile(file, documents)
  } catch (error) {
    if (error instanceof MissingFile) return undefined
    throw error
  }
}

/** New content, with a short description. */
export interface ChangedContent {
  readonly content: string
  readonly summary: string
}

/** Returns the new content of a file; writes nothing. */
export function contentAfterEdits(
  bytes: Uint8Array,
  change: Extract<FileChange, { kind: 'edit' | 'update' }>,
  shown: string,
): ChangedContent {
  const { text, mark } = decodeText(bytes, shown)
  if (change.kind === 'edit') {
    const result = applyEdits(text, change.edits, shown)
    if (result.kind === 'failed') throw new Refusal(result.reason())
    const places = result.lines.length
    const where = places === 1 ? `at line ${result.lines[0]}` : `at ${places} places`
    return { content: mark + result.text, summary: `Edited ${shown} ${where}.` }
  }
  const result = applyHunks(text, change.hunks, shown)
  if (result.kind === 'failed') throw new Refusal(result.reason)
  return { content: mark + result.text, summary: `Edited ${shown}.` }
}

/** Determines whether a text looks as after the change, as before it, or as neither or both. */
export function wasChangeMade(
  bytes: Uint8Array,
  change: Extract<FileChange, { kind: 'edit' | 'update' }>,
): 'done' | 'not_done' | 'unknown' {
  const { text } = decodeText(bytes, '')
  if (change.kind === 'edit') return wereEditsMade(text, change.edits)
  const notYet = applyHunks(text, change.hunks, '').kind === 'patched'
  const back = applyHunks(text, reverseHunks(change.hunks), '')
  const again = back.kind === 'patched' ? applyHunks(back.text, change.hunks, '') : back
  const already = again.kind === 'patched' && again.text === text
  return already === notYet ? 'unknown' : already ? 'done' : 'not_done'
}
