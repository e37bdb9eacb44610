/**
 * Reads JSON Lines files from the end, newest line first, one page at a time. Keeps nothing in memory, and reads a limited number of bytes for
 * each page. If few lines match a filter, a page contains fewer items and a cursor.
 */
import { closeSync, fstatSync, readSync } from 'node:fs'
import path from 'node:path'
import { CadreError, isObject, type JsonObject } from '@cadre/core'
import { hasCode, openRegularFile } from '@cadre/disk'

export interface NewestLinesRequest {
  readonly folder: string
  /** File names, newest first. */
  readonly files: readonly string[]
  readonly limit: number
  /** The `next` value from the previous page. */
  readonly after?: string | undefined
  /** Returns the item for a line, or `undefined` to omit the line. */
  readonly pick: (line: JsonObject, file: string) => JsonObject | undefined
  /** The most bytes to read for one page. */
  readonly maxBytes?: number
  /** Called between two blocks. If it returns true, the page ends there. */
  readonly isOver?: () => boolean
}

export interface NewestLines {
  readonly items: readonly JsonObject[]
  readonly next?: string
}

const block = 64 << 10
const defaultMaxBytes = 8 << 20
/** Longer lines are omitted. */
const maxLine = 1 << 20
const newline = 0x0a

export function readNewestLines(request: NewestLinesRequest): NewestLines {
  const { folder, files, limit, after, pick, maxBytes = defaultMaxBytes, isOver = () => false } = request
  const from = after === undefined ? undefined : positionOf(after, files)
  const start = from === undefined ? 0 : files.indexOf(from.file)
  const items: JsonObject[] = []
  let left = maxBytes
  for (const [index, file] of files.entries()) {
    if (index < start) continue
    const handle = open(path.join(folder, file))
    if (handle === undefined) continue
    try {
      const { size } = fstatSync(handle)
      let end = from?.file === file ? Math.min(from.end, size) : size
      for (const line of linesBefore(handle, end)) {
        if (items.length === limit) return { items, next: cursorOf(file, end) }
        left -= end - line.start
        end = line.start
        const item = line.bytes && itemOf(line.bytes, file, pick)
        if (item !== undefined) items.push(item)
        if ((left <= 0 || isOver()) && end > 0) return { items, next: cursorOf(file, end) }
      }
    } finally {
      closeSync(handle)
    }
    const following = files[index + 1]
    if (following !== undefined && (left <= 0 || isOver() || items.length === limit))
      return { items, next: cursorOf(following, Number.MAX_SAFE_INTEGER) }
  }
  return { items }
}

interface FoundLine {
  readonly start: number
  /** Absent if the line is too long. */
  readonly bytes?: Buffer
}

/** The lines that end at or before `end`, last line first. */
function* linesBefore(handle: number, end: number): Generator<FoundLine> {
  let tail: Buffer = Buffer.alloc(0)
  let isTooLong = false
  let at = end
  while (at > 0) {
    const length = Math.min(block, at)
    const bytes = Buffer.alloc(length)
    const read = readSync(handle, bytes, 0, length, at - length)
    if (read < length) return
    at -= length
    let rest = length
    for (
      let cut = bytes.lastIndexOf(newline, rest - 1);
      cut >= 0;
      cut = bytes.lastIndexOf(newline, rest - 1)
    ) {
      const line = Buffer.concat([bytes.subarray(cut + 1, rest), tail])
      if (isTooLong) yield { start: at + cut + 1 }
      else if (line.length > 0) yield { start: at + cut + 1, bytes: line }
      tail = Buffer.alloc(0)
      isTooLong = false
      rest = cut
      if (rest === 0) break
    }
    tail = Buffer.concat([bytes.subarray(0, rest), tail])
    if (tail.length > maxLine) {
      tail = Buffer.alloc(0)
      isTooLong = true
    }
  }
  if (isTooLong) yield { start: 0 }
  else if (tail.length > 0) yield { start: 0, bytes: tail }
}

function itemOf(bytes: Buffer, file: string, pick: NewestLinesRequest['pick']): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return isObject(value) ? pick(value as JsonObject, file) : undefined
  } catch {
    // An incomplete line, or a line that a person wrote. "cadre status" reports the ones that matter.
    return undefined
  }
}

function open(file: string): number | undefined {
  try {
    return openRegularFile(file)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function cursorOf(file: string, end: number): string {
  return Buffer.from(JSON.stringify([file, end])).toString('base64url')
}

function positionOf(
  cursor: string,
  files: readonly string[],
): { readonly file: string; readonly end: number } {
  try {
    const [file, end] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[]
    if (typeof file === 'string' && files.includes(file) && Number.isSafeInteger(end) && (end as number) >= 0)
      return { file, end: end as number }
  } catch {
    // The error below applies.
  }
  throw new CadreError(
    'usage',
    '"after" is not a position in this list. Use the "next" value from the previous page.',
  )
}
