import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export interface ArtifactStamps {
  put(session: string, text: string): void
  remove(session: string): void
  /** Whether this is the text that the session wrote. */
  isOf(session: string, text: string): boolean
}

/**
 * Which text a session has left in its artifact, so that a resumed one still knows it from that of another. A stamp that
 * cannot be written or read only means that the artifact does not count.
 */
export function createStamps(folder: string): ArtifactStamps {
  const at = (session: string) => path.join(folder, `${encodeURIComponent(session)}.sha256`)
  const remove = (session: string) => {
    try {
      rmSync(at(session), { force: true })
    } catch {
      // It names one text; whatever the artifact holds later is another.
    }
  }
  return {
    put(session, text) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(at(session), sumOf(text), { mode: 0o600 })
      } catch {
        remove(session)
      }
    },
    remove,
    isOf(session, text) {
      try {
        return readFileSync(at(session), 'utf8') === sumOf(text)
      } catch {
        return false
      }
    },
  }
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
