import { closeSync, fstatSync, readFileSync } from 'node:fs'
import { openWithoutLinks, type RawText } from '@cadre/disk'

export interface TextWithOwner {
  readonly raw: RawText
  /** The user who wrote the file. Absent if other users may have written it, or if the system has no user ids. */
  readonly uid?: number
}

/**
 * Reads a file and its owner through one descriptor, so that the owner always belongs to the same file as the text, even if the file is replaced
 * meanwhile. Returns `undefined` if there is no file.
 */
export function readTextWithOwner(path: string): TextWithOwner | undefined {
  const file = openWithoutLinks(path, 'read')
  if (file === undefined) return undefined
  try {
    const { uid, mode } = fstatSync(file)
    const raw = readFileSync(file, 'latin1')
    const isOwn = process.getuid !== undefined && (mode & 0o022) === 0
    return { raw, ...(isOwn && { uid }) }
  } finally {
    closeSync(file)
  }
}
