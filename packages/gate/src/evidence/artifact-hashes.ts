import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export interface ArtifactHashes {
  put(session: string, text: string): void
  remove(session: string): void
  /** True if the session wrote this text. */
  isOf(session: string, text: string): boolean
}

/**
 * Remembers which text a session wrote to its artifact, so that a resumed session recognises it. If a hash cannot be
 * written or read, the artifact does not count.
 */
export function createArtifactHashes(folder: string): ArtifactHashes {
  const at = (session: string) => path.join(folder, `${encodeURIComponent(session)}.sha256`)
  const remove = (session: string) => {
    try {
      rmSync(at(session), { force: true })
    } catch {
      // Without it, the artifact does not count.
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
