import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { messageOf } from '@cadre/core'
import { isInside } from './files.ts'

const maxBytes = 1_000_000

/** The content of a file in a folder that may not be trusted. */
export type Content =
  | { readonly kind: 'none' }
  | { readonly kind: 'read'; readonly text: string; readonly sha256: string }
  /** The file exists but cannot be used, for this reason. */
  | { readonly kind: 'unusable'; readonly reason: string }

/**
 * Reads a file of any origin. Does not follow links that point outside the folder, and reads only regular files of limited size. Never
 * blocks and never throws.
 */
export function readInsideFolder(folder: string, file: string): Content {
  let real: string
  try {
    real = realpathSync(file)
    if (!isInside(realpathSync(folder), real))
      return unusable('the file is a link that points outside this folder')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'none' }
    return unusable(`Cadre cannot read the file: ${messageOf(error)}`)
  }
  let handle: number | undefined
  try {
    // Opening a pipe would block until another process writes.
    const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants
    handle = openSync(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const stats = fstatSync(handle)
    if (stats.isDirectory()) return { kind: 'none' }
    if (!stats.isFile()) return unusable('the path is not a regular file')
    if (stats.size > maxBytes) return unusable('the file is larger than 1 MB')
    const bytes = readFileSync(handle)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { kind: 'read', text: bytes.toString('utf8').replace(/^\ufeff/, ''), sha256 }
  } catch (error) {
    return unusable(`Cadre cannot read the file: ${messageOf(error)}`)
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

function unusable(reason: string): Content {
  return { kind: 'unusable', reason }
}
