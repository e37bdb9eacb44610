import path from 'node:path'
import { isInside, realPathOf } from '@cadre/disk'
import type { DocumentChange, Documents } from '@cadre/tools'
import type { Editor } from './editor.ts'

/** The timeout in milliseconds, so that an editor that does not answer cannot block an agent forever. */
const readLimit = 10_000
const writeLimit = 60_000

export interface EditorDocumentsOptions {
  readonly editor: Editor
  /** The editor's session. */
  readonly sessionId: string
  /** The folder of the editor's session. Cadre reads and writes other files itself. */
  readonly folder: string
  readonly changed: (change: DocumentChange) => void
}

/**
 * The files in the editor's folder, with unsaved changes. If the editor supports neither reading nor writing, only the changes are reported.
 * Either the editor or the tool writes a file, never both.
 */
export function createEditorDocuments(options: EditorDocumentsOptions): Documents {
  const { editor, sessionId, changed } = options
  const folder = realPathOf(options.folder)
  // Homes are Cadre's folders. Editors do not show them, and some reject them.
  const isOurs = (file: string) => isInside(folder, file) && !file.split(/[\\/]/).includes('.cadre')
  // The editor may know the folder by a link.
  const asSeen = (file: string) =>
    isInside(folder, file) ? path.join(options.folder, path.relative(folder, file)) : file
  return {
    async read({ path: file }, signal) {
      if (editor.capabilities.fs?.readTextFile !== true || !isOurs(file)) return undefined
      try {
        return await editor.readTextFile(
          sessionId,
          asSeen(file),
          AbortSignal.any([signal, AbortSignal.timeout(readLimit)]),
        )
      } catch {
        signal.throwIfAborted()
        // The editor does not have the file, or does not answer, so the file on disk is used.
        return undefined
      }
    },
    async write({ path: file, content }, signal) {
      if (editor.capabilities.fs?.writeTextFile !== true || !isOurs(file)) return false
      try {
        await editor.writeTextFile(
          sessionId,
          { path: asSeen(file), content },
          AbortSignal.any([signal, AbortSignal.timeout(writeLimit)]),
        )
        return true
      } catch (error) {
        signal.throwIfAborted()
        const reason = error instanceof Error ? error.message : String(error)
        throw new Error(`The editor did not write the file: ${reason}`)
      }
    },
    changed: (change) => changed({ ...change, path: asSeen(change.path) }),
  }
}
