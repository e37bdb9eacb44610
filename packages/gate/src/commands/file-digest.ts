import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

const largest = 20_000_000

/** The SHA-256 of a plain file; nothing when it is none, or cannot be read. */
export function fileDigest(file: string): string | undefined {
  let handle: number | undefined
  try {
    handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(handle)
    if (!stats.isFile() || stats.size > largest) return undefined
    return createHash('sha256').update(readFileSync(handle)).digest('hex')
  } catch {
    return undefined
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}
