import path from 'node:path'
import { isInside, realPathOf } from '@cadre/disk'
import type { DocumentChange, Documents } from '@cadre/tools'
import type { Editor } from './editor.ts'

/** An editor that does not answer must not hold up an agent forever, in milliseconds. */
const readLimit = 10_000
const writeLimit = 60_000

export interface EditorDocumentsOptions {
  readonly editor: Editor
  /** The session of the editor. */
  readonly sessionId: string
  /** The folder of the editor's session. Cadre reads and writes other files itself. */
  readonly folder: string
  readonly changed: (change: DocumentChange) => void
}

/**
 * The files of the editor's folder as the editor has them. If the editor offers neither reading nor writing, only the changes are reported.
 * A file is written once: by the editor, or by the tool.
 */
export function createEditorDocuments(options: EditorDocumentsOptions): Documents {
  const { editor, sessionId, changed } = options
  const folder = realPathOf(options.folder)
  // Homes are folders of Cadre. No editor shows them, and some refuse them.
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
        // The editor does not have the file, or does not answer: the file on disk counts.
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
