import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { hasCode, openWithoutLinks } from '@cadre/disk'

const newline = 0x0a

/**
 * Appends complete lines, and returns when they survive a power loss. An incomplete last line is ended first, so nothing is appended to it.
 * Call it under a lock between Cadre's processes.
 */
export function appendLines(place: string, lines: readonly string[], { durable = true } = {}): void {
  const file = openWithoutLinks(place, 'append')
  try {
    const { size } = fstatSync(file)
    const text = lines.map((line) => `${line}\n`).join('')
    const bytes = Buffer.from(size > 0 && !endsWithBreak(file, size) ? `\n${text}` : text)
    writeOrUndo(file, bytes, size)
    if (durable) fdatasyncSync(file)
    if (durable && size === 0) syncFolder(path.dirname(place))
  } finally {
    closeSync(file)
  }
}

/**
 * On a full disk, only the beginning of a line may be written. It is removed, so that it does not look like an incomplete line of another
 * writer.
 */
function writeOrUndo(file: number, bytes: Buffer, size: number): void {
  let done = 0
  try {
    while (done < bytes.length) done += writeSync(file, bytes, done)
  } catch (error) {
    if (done > 0 && fstatSync(file).size === size + done) ftruncateSync(file, size)
    throw error
  }
}

function endsWithBreak(file: number, size: number): boolean {
  const last = Buffer.alloc(1)
  return readSync(file, last, 0, 1, size - 1) === 0 || last[0] === newline
}

/** Makes the name of a new file durable as well. */
function syncFolder(folder: string): void {
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } catch (error) {
    // Some systems cannot sync a folder.
    if (!hasCode(error, 'EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP')) throw error
  } finally {
    closeSync(file)
  }
}
