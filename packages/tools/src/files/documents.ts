import type { ToolContext } from '@cadre/core'
import type { ConfinedPath } from './confine-path.ts'
import { decodeText } from './text.ts'

/** A text file as an editor has it. The gate has judged the path, and it is real: no part of it is a link. */
export interface Document {
  readonly path: string
  readonly context: ToolContext
}

/** A text before and after a call. Null: the file does not exist. */
export interface DocumentChange extends Document {
  readonly before: string | null
  readonly after: string | null
}

/**
 * The texts of an editor that runs Cadre. File tools read and write through it, so that agents see unsaved text, and people see changes
 * where they work.
 */
export interface Documents {
  /** The text that the editor has now. Undefined: it has none, so the file on disk counts. */
  read(document: Document, signal: AbortSignal): Promise<string | undefined>
  /** Saves a text. Returns false if the editor does not write this file: the tool then writes it. Rejects if it was not written. */
  write(document: Document & { readonly content: string }, signal: AbortSignal): Promise<boolean>
  /** Called after every change of a text by a file tool, written by the editor or by the tool. Must not throw. */
  changed(change: DocumentChange): void
}

/** The documents of one call. */
export interface DocumentsOfCall {
  /** The unsaved text as bytes, if there is one. A byte order mark of the file is kept. */
  read(file: ConfinedPath, onDisk: Uint8Array): Promise<Buffer | undefined>
  write(file: ConfinedPath, content: string): Promise<boolean>
  changed(file: ConfinedPath, before: Uint8Array | undefined, after: string | undefined): void
}

export function documentsOfCall(
  documents: Documents | undefined,
  context: ToolContext,
  signal: AbortSignal,
): DocumentsOfCall | undefined {
  if (documents === undefined) return undefined
  const of = ({ real }: ConfinedPath): Document => ({ path: real, context })
  return {
    async read(file, onDisk) {
      const known = textIn(onDisk)
      if (known === undefined) return undefined
      const text = await documents.read(of(file), signal)
      if (text === undefined || text === known.text) return undefined
      return Buffer.from(known.mark + text.replace(/^\ufeff/, ''))
    },
    write: (file, content) => documents.write({ ...of(file), content }, signal),
    changed(file, before, after) {
      const known = before === undefined ? null : textIn(before)?.text
      if (known === undefined) return
      documents.changed({ ...of(file), before: known, after: after?.replace(/^\ufeff/, '') ?? null })
    },
  }
}

/** Undefined for a binary file, which no editor has as text. */
function textIn(bytes: Uint8Array): ReturnType<typeof decodeText> | undefined {
  try {
    return decodeText(bytes, '')
  } catch {
    return undefined
  }
}
