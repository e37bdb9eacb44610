import { TextDecoder } from 'node:util'
import { type Encoding, encodingOf, sniffLength, truncateText } from './text.ts'

/** Where lines are read from: a file, or bytes in memory. */
export interface LineSource {
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>
}

export function lineSourceOf(bytes: Buffer): LineSource {
  return {
    read: async (buffer, offset, length, position) => ({
      bytesRead: bytes.copy(buffer, offset, position, position + length),
    }),
  }
}

export interface LineRange {
  /** Counted from 1. */
  readonly first: number
  readonly max: number
  readonly size: number
}

export type LinePart =
  | { readonly kind: 'text'; readonly text: string; readonly note: string }
  | { readonly kind: 'past'; readonly lines: number }
  | { readonly kind: 'binary' }

const maxCharacters = 100_000
const maxLineLength = 10_000
const chunkSize = 65_536
/** Counting the lines of a larger file is not worth the time. */
const countedSize = 16 * 1_024 * 1_024

/**
 * Reads a range of lines in chunks. After the range, it counts the other lines only in files of at most 16 MB. If the file ends before
 * `first`, returns `{ kind: 'past', lines }` with the exact number of lines, for a file of any size.
 */
export async function readLines(
  source: LineSource,
  range: LineRange,
  signal: AbortSignal,
): Promise<LinePart> {
  const lines: string[] = []
  let number = 0
  let characters = 0
  let stopped: 'lines' | 'characters' | undefined
  let shortened = 0

  const take = (line: string, complete: boolean): boolean => {
    number++
    if (number < range.first) return true
    if (lines.length >= range.max) stopped ??= 'lines'
    else if (characters + Math.min(line.length, maxLineLength) > maxCharacters) stopped ??= 'characters'
    if (stopped !== undefined) return range.size <= countedSize
    if (line.length > maxLineLength || !complete) shortened++
    const shown = line.length > maxLineLength ? `${truncateText(line, maxLineLength)}…` : line
    lines.push(shown)
    characters += shown.length + 1
    return true
  }

  const end = await eachLine(source, take, signal)
  if (end === 'binary') return { kind: 'binary' }
  if (lines.length === 0) return { kind: 'past', lines: number }
  const last = range.first + lines.length - 1
  const notes: string[] = []
  if (stopped !== undefined) {
    const all = range.size <= countedSize ? ` of ${number}` : ''
    notes.push(`lines ${range.first} to ${last}${all} shown; continue with offset ${last + 1}`)
  }
  if (shortened > 0)
    notes.push(`${shortened} very long ${shortened === 1 ? 'line was' : 'lines were'} truncated`)
  return {
    kind: 'text',
    text: lines.join('\n') + (stopped === undefined && end === 'newline' ? '\n' : ''),
    note: notes.join('; '),
  }
}

/** Passes every line to `take` until it returns false. Keeps only the start of very long lines. */
async function eachLine(
  source: LineSource,
  take: (line: string, complete: boolean) => boolean,
  signal: AbortSignal,
): Promise<'binary' | 'newline' | 'text'> {
  const buffer = Buffer.alloc(chunkSize)
  let encoding: Encoding | undefined
  let decoder: TextDecoder | undefined
  let rest = ''
  let dropped = false
  let position = 0
  let endsWithNewline = false
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await source.read(buffer, 0, chunkSize, position)
    const bytes = buffer.subarray(0, bytesRead)
    encoding ??= encodingOf(bytes.subarray(0, sniffLength))
    if (encoding === 'binary') return 'binary'
    decoder ??= new TextDecoder(encoding)
    position += bytesRead
    const text = decoder.decode(bytes, { stream: bytesRead > 0 })
    if (text !== '') endsWithNewline = text.endsWith('\n')
    const pieces = text.split('\n')
    for (const [index, piece] of pieces.entries()) {
      const line = rest.length > maxLineLength ? rest : rest + piece
      if (rest.length > maxLineLength && piece !== '') dropped = true
      if (index === pieces.length - 1) {
        rest = line
        break
      }
      if (!take(line.endsWith('\r') ? line.slice(0, -1) : line, !dropped)) return 'text'
      rest = ''
      dropped = false
    }
    if (bytesRead === 0) break
  }
  if (rest !== '') take(rest, !dropped)
  return endsWithNewline ? 'newline' : 'text'
}
