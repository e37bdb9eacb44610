/**
 * Reads a file of lines that programs and people append to, so that each line is handled once. Used by one process at a time.
 *
 * 1. A line counts as handled when `done` returns. After a crash, all others are read again, with the same ids.
 * 2. An incomplete line waits. One that lacks only its line break is complete: no prefix of a JSON object is a JSON object.
 * 3. An unreadable line does not block others.
 * 4. Handled lines are not handled again, even if the file was truncated, replaced, edited or renamed.
 */
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, readSync } from 'node:fs'
import { isObject, type JsonObject, parseJson } from '@cadre/core'
import { openWithoutLinks } from '@cadre/disk'
import type { Generation, HandledLine, LineCursor } from './line-cursor.ts'
import { type FoundLine, maxExcerptBytes, maxLineLength, readLines } from './split-lines.ts'

interface Item {
  /** Counted from 1. */
  readonly number: number
  readonly handled: HandledLine
}

export interface ParsedLine extends Item {
  readonly kind: 'line'
  /** The id in the line, or one that is stable for this line of this file. */
  readonly id: string
  readonly value: JsonObject
}

export interface UnreadableLine extends Item {
  readonly kind: 'unreadable'
  /** The error, as a clause. */
  readonly reason: string
}

export class LineReader {
  private readonly place: string
  private readonly name: string
  private readonly cursor: LineCursor
  /** How many lines were skipped because they had been handled before. */
  passedOver = 0

  constructor(options: { readonly place: string; readonly name: string; readonly cursor: LineCursor }) {
    this.place = options.place
    this.name = options.name
    this.cursor = options.cursor
  }

  /** The number of the file version. If it changes, earlier line numbers no longer apply. */
  get generation(): number {
    return this.cursor.now?.generation ?? 0
  }

  /** Returns the next unhandled lines, in order. */
  take(max: number): (ParsedLine | UnreadableLine)[] {
    const file = openWithoutLinks(this.place, 'read')
    if (file === undefined) return []
    try {
      this.recognise(file)
      return this.read(file, max)
    } finally {
      closeSync(file)
    }
  }

  /** Call it for each line, in order. */
  done({ handled }: ParsedLine | UnreadableLine): void {
    this.cursor.add(handled)
  }

  private recognise(file: number): void {
    const { now, last } = this.cursor
    const { dev, ino, size } = fstatSync(file)
    const identity = `${dev}:${ino}`
    // A program that rewrites the file may truncate it first. Wait for its content.
    if (size === 0) return
    if (now === undefined) this.cursor.add({ generation: 0, until: 0, file: identity })
    else if (last === undefined ? now.file !== identity && now.generation > 0 : !isLineUnchanged(file, last))
      this.cursor.add({ generation: now.generation + 1, until: size, file: identity })
    // An editor has rewritten the file, and the handled lines are unchanged.
    else if (now.file !== identity) this.cursor.add({ ...now, file: identity })
  }

  private read(file: number, max: number): (ParsedLine | UnreadableLine)[] {
    const items: (ParsedLine | UnreadableLine)[] = []
    const { last, now } = this.cursor
    if (now === undefined || fstatSync(file).size < (last?.end ?? 0)) return []
    const seen = new Set<string>()
    let number = (last?.line ?? 0) + (last?.open ? 0 : 1)
    for (const line of readLines(file, last?.end ?? 0)) {
      if (items.length >= max) break
      const item = this.understand(line, number, now)
      if (line.isOpen && item?.kind !== 'line') break
      number++
      if (item === undefined) continue
      const { handled } = item
      // Skipped lines are recorded in order, before later lines.
      if (this.isKnown(handled, now, seen)) {
        if (items.length > 0) break
        this.cursor.add({ ...handled, same: true })
        this.passedOver++
        continue
      }
      if (handled.id !== undefined) seen.add(handled.id)
      items.push(item)
    }
    return items
  }

  private isKnown({ id, sum, at }: HandledLine, now: Generation, seen: ReadonlySet<string>): boolean {
    if (id !== undefined) return this.cursor.hasId(id) || seen.has(id)
    return at < now.until && this.cursor.wasHandledBefore(sum)
  }

  /** Returns `undefined` for an empty line. */
  private understand(
    line: FoundLine,
    number: number,
    { generation }: Generation,
  ): ParsedLine | UnreadableLine | undefined {
    const { start: at, end } = line
    const text = line.bytes.toString('utf8').replace(/^\ufeff/, '')
    if (text.trim() === '') return undefined
    const sum = sumOf(line.bytes)
    const handled: HandledLine = { at, end, line: number, sum, ...(line.isOpen && { open: true }) }
    if (line.isTooLong) return { kind: 'unreadable', number, handled, reason: 'the line is too long' }
    const parsed = parseJson(text)
    if (!parsed.ok) return { kind: 'unreadable', number, handled, reason: 'the line is not JSON' }
    if (!isObject(parsed.value))
      return { kind: 'unreadable', number, handled, reason: 'the line is not a JSON object' }
    if (isDeeper(parsed.value, maxDepth))
      return { kind: 'unreadable', number, handled, reason: 'the line is nested too deeply' }
    const { value } = parsed
    const own = value['id']
    if (typeof own === 'string' && own !== '')
      return { kind: 'line', number, id: own, value, handled: { ...handled, id: sumOf(`id ${own}`) } }
    const id = `line-${sumOf(`${this.name}\n${generation}\n${at}\n${text}`)}`
    return { kind: 'line', number, id, value, handled }
  }
}

const maxDepth = 100

/** Returns whether the last handled line is still at its position. */
export function isLineUnchanged(file: number, { at, end, sum }: HandledLine): boolean {
  const length = end - at > maxLineLength + 2 ? maxExcerptBytes : end - at
  const bytes = Buffer.alloc(length)
  if (readSync(file, bytes, 0, bytes.length, at) < bytes.length) return false
  return sumOf(bytes) === sum || sumOf(withoutBreak(bytes)) === sum
}

function withoutBreak(bytes: Buffer): Buffer {
  const end = bytes.at(-1) === 0x0a ? bytes.length - 1 : bytes.length
  return bytes.subarray(0, bytes[end - 1] === 0x0d ? end - 1 : end)
}

function sumOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16)
}

/** Returns whether lists and objects are nested more than `most` levels deep. Recursive code would overflow the stack on them. */
function isDeeper(value: unknown, max: number): boolean {
  let level = [value].filter(isContainer)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > max) return true
    level = level.flatMap((part) => Object.values(part)).filter(isContainer)
  }
  return false
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
