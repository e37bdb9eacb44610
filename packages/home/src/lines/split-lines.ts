import { readSync } from 'node:fs'

/** Longer lines are not kept in memory, only marked as too long. */
export const maxLineLength = 16 << 20

/** Enough to recognise it. */
export const maxExcerptBytes = 1_024

export interface FoundLine {
  /** The byte offset of its start. */
  readonly start: number
  /** The byte offset after its line break, or after its last byte. */
  readonly end: number
  /** Without its line break. For a line that is too long: only the beginning. */
  readonly bytes: Buffer
  readonly isTooLong: boolean
  /** True if the file ends without a line break, so the line may be incomplete. */
  readonly isOpen: boolean
}

const chunkSize = 256 << 10
const newline = 0x0a
const carriage = 0x0d

/** Reads the lines of an open file from a position on, with bounded memory. */
export function* readLines(file: number, from: number): Generator<FoundLine> {
  const chunk = Buffer.allocUnsafe(chunkSize)
  let parts: Buffer[] = []
  let length = 0
  let start = from
  let position = from
  const take = (end: number, isOpen: boolean): FoundLine => {
    const isTooLong = length > maxLineLength
    let bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
    if (isTooLong) bytes = bytes.subarray(0, maxExcerptBytes)
    else if (!isOpen && bytes.at(-1) === carriage) bytes = bytes.subarray(0, -1)
    const line = { start, end, bytes, isTooLong, isOpen }
    parts = []
    length = 0
    start = end
    return line
  }
  const keep = (bytes: Buffer) => {
    if (length <= maxLineLength) parts.push(Buffer.from(bytes))
    length += bytes.length
    if (length > maxLineLength && parts.length > 1)
      parts = [Buffer.concat(parts).subarray(0, maxExcerptBytes)]
  }
  for (;;) {
    const read = readSync(file, chunk, 0, chunkSize, position)
    if (read === 0) break
    let begin = 0
    for (;;) {
      const at = chunk.subarray(0, read).indexOf(newline, begin)
      if (at < 0) break
      keep(chunk.subarray(begin, at))
      yield take(position + at + 1, false)
      begin = at + 1
    }
    if (begin < read) keep(chunk.subarray(begin, read))
    position += read
  }
  if (length > 0) yield take(position, true)
}
