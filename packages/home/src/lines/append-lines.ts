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
import { hasCode, openPlain } from '@cadre/disk'

const newline = 0x0a

/**
 * Appends whole lines, and comes back when a power loss does not reach them any more. What somebody left unfinished at the
 * end becomes a line of its own: nothing is ever glued to it. To be called under a lock among cadre's own processes.
 */
export function appendLines(place: string, lines: readonly string[], { durable = true } = {}): void {
  const file = openPlain(place, 'append')
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

/** A full disk takes the beginning of a line: that is no line, and must not look like one that somebody left unfinished. */
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

/** So that the name of a new file is safe as well. */
function syncFolder(folder: string): void {
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } catch (error) {
    // Some systems cannot do this with a folder.
    if (!hasCode(error, 'EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP')) throw error
  } finally {
    closeSync(file)
  }
}
