import { isUtf8 } from 'node:buffer'
import { CadreError, type Entry } from '@cadre/core'
import { addChunk } from './add-chunk.ts'
import type { HeaderLayout } from './emit-header.ts'
import { EntryNumbers } from './entry-numbers.ts'
import { readEntry } from './read-entry.ts'
import { type HeaderReading, readHeader } from './read-header.ts'
import { readLeniently, Unreadable } from './read-leniently.ts'
import { type Header, InvalidHeader, type KnownSpecValues, specFromHeader } from './spec-from-header.ts'
import { TextCursor } from './text-cursor.ts'

/** A parsed session file. */
export interface Journal extends Header {
  readonly entries: Entry[]
  /** Where to rewrite it in place. Absent if the file must be rewritten before entries can be appended. */
  readonly layout?: HeaderLayout
  /** The number of valid bytes. After them is an incomplete entry. */
  readonly good: number
  readonly torn?: Buffer
  /** True if the last line has no line ending. */
  readonly openLine: boolean
}

export interface ReadOptions {
  /** For messages. */
  readonly path: string
  /** The session's id: the file name without its extension. */
  readonly id: string
  readonly workspace: (agent: string) => string
  readonly adopt?: KnownSpecValues['adopt']
  /** The last entry that this process wrote completely. A later one without an end marker was written by a person, not truncated. */
  readonly writtenUpTo?: number
}

/**
 * Reads a session file of any author. Returns `undefined` if the process died while it created the file, so no session exists. Throws
 * `corruptError`, with `path:line`, if the file cannot be read.
 */
export function readJournal(bytes: Buffer, options: ReadOptions): Journal | undefined {
  const nul = bytes.indexOf(0)
  const end = nul < 0 ? bytes.length : nul
  if (nul >= 0 && bytes.subarray(nul).some((byte) => byte !== 0)) {
    throw corruptError(options.path, lineAt(bytes, nul), 'the file contains NUL bytes')
  }
  const decoded = decode(bytes.subarray(0, end), options.path)
  const text = decoded.charCodeAt(0) === 0xfeff || decoded.includes('\r') ? canonicalLines(decoded) : decoded
  const header = readHeader(text)
  if (header === undefined && hasIncompleteHeader(text)) return undefined
  const cut = findTornEnd(text, header?.end ?? 0, options.writtenUpTo)
  const whole = text.slice(0, cut)
  try {
    const close = header && text === decoded ? readStrictly(whole, header, options) : undefined
    const journal = close ?? { ...readAnyNotation(whole, options), good: Buffer.byteLength(whole) }
    const torn = text === decoded ? bytes.subarray(journal.good) : Buffer.from(text.slice(cut))
    return { ...journal, openLine: !whole.endsWith('\n'), ...(torn.length > 0 ? { torn } : {}) }
  } catch (error) {
    if (error instanceof Unreadable) throw corruptError(options.path, error.line, error.message)
    if (error instanceof InvalidHeader)
      throw corruptError(options.path, lineOfKey(text, error.key), error.message)
    throw error
  }
}

export function corruptError(path: string, line: number, reason: string): CadreError {
  return new CadreError('corrupt', `cannot read the session file: ${reason}.`, {
    where: `${path}:${line}`,
  })
}

type Reading = Omit<Journal, 'torn' | 'openLine'>

/** Reads Cadre's format, with single entries of a person in between. Returns `undefined` for other formats. */
function readStrictly(text: string, header: HeaderReading, options: ReadOptions): Reading | undefined {
  const cursor = new TextCursor(text)
  cursor.at = header.end
  const numbers = new EntryNumbers(String(header.fields['updated']))
  while (cursor.at < text.length) {
    const entry = readEntry(cursor)
    if (entry !== undefined) {
      numbers.add(entry)
      continue
    }
    const next = text.indexOf('\n  - ', cursor.at)
    const chunk = text.slice(cursor.at, next < 0 ? text.length : next + 1)
    if (!isComment(chunk) && !addChunk(chunk, numbers)) return undefined
    cursor.at += chunk.length
  }
  const { entries } = numbers
  const known = specFromHeader(header, { ...options, work: firstText(entries) })
  const good = Buffer.byteLength(text)
  // A copied file must be rewritten with its own name before it can be appended to.
  return known.name === options.id
    ? { ...known, entries, good, layout: header.layout }
    : { ...known, entries, good }
}

function readAnyNotation(text: string, options: ReadOptions): Omit<Reading, 'good'> {
  const loose = readLeniently(text)
  const { updated, created } = loose.fields
  const numbers = new EntryNumbers(String(created ?? updated ?? ''))
  for (const entry of loose.entries) {
    if (!numbers.addLoose(entry))
      throw new Unreadable('a tool result has no matching call before it', lineOfKey(text, 'messages'))
  }
  const { entries } = numbers
  return { ...specFromHeader(loose, { ...options, work: firstText(entries) }), entries }
}

function firstText(entries: readonly Entry[]): string {
  const first = entries.find((entry) => entry.role === 'user')
  return first?.role === 'user' ? first.content : ''
}

function decode(bytes: Buffer, path: string): string {
  // An incomplete last line may end in the middle of a character.
  const lastLine = bytes.lastIndexOf(10) + 1
  if (isUtf8(bytes) || isUtf8(bytes.subarray(0, lastLine))) return bytes.toString('utf8')
  let at = 0
  for (
    let next = bytes.indexOf(10);
    next >= 0 && isUtf8(bytes.subarray(at, next));
    next = bytes.indexOf(10, at)
  ) {
    at = next + 1
  }
  throw corruptError(path, lineAt(bytes, at), 'the file is not UTF-8 text')
}

export function canonicalLines(text: string): string {
  return (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text).replace(/\r\n?/g, '\n')
}

/** Returns whether the header is incomplete: it has Cadre's first key, but not the last. */
export function hasIncompleteHeader(text: string): boolean {
  const first = 'session_id: '
  return (text.startsWith(first) || first.startsWith(text)) && !/^messages:/m.test(text)
}

function lineAt(bytes: Buffer, index: number): number {
  return bytes.toString('latin1', 0, index).split('\n').length
}

export function isComment(chunk: string): boolean {
  return chunk.split('\n').every((line) => /^[ \t]*(?:#|$)/.test(line))
}

export function lineOfKey(text: string, key: string): number {
  const at = text.search(new RegExp(`^ *${key}:`, 'm'))
  return at < 0 ? 1 : text.slice(0, at).split('\n').length
}

const opening = '  - seq: '

/**
 * Returns the end of the complete part of the text. After it is a truncated entry of Cadre: it lacks its end marker, or even its number.
 */
export function findTornEnd(text: string, messages: number, writtenUpTo?: number): number {
  const start = Math.max(messages, text.lastIndexOf('\n  - ') + 1)
  const last = text.slice(start)
  if (last === '') return text.length
  const number = /^ {2}- seq: (\d+)\n/.exec(last)?.[1]
  if (number === undefined) {
    return opening.startsWith(last) || /^ {2}- seq: \d*$/.test(last) ? start : text.length
  }
  const mark = `\n    # end ${number}`
  const end = last.indexOf(`${mark}\n`)
  if (end >= 0) {
    const rest = last.slice(end + mark.length + 1)
    return rest !== '' && opening.startsWith(rest) ? text.length - rest.length : text.length
  }
  if (last.endsWith(mark)) return text.length
  return writtenUpTo !== undefined && Number(number) > writtenUpTo ? text.length : start
}
