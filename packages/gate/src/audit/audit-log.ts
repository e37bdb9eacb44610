/**
 * Owns the files `events/YYYY-MM-DD.jsonl` of a home for writing, within this process.
 *
 * 1. Lines are appended whole, so lines of several processes never mix.
 * 2. A partially written line is terminated before the next one, so that it damages no other.
 * 3. It never throws and never waits. If it cannot write, it reports this once and keeps a limited backlog: the decisions
 *    themselves are in the journals, and no effect happens without them.
 * 4. It writes only to regular files in the home, even if someone has placed links there.
 */
import { hash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, writeSync } from 'node:fs'
import path from 'node:path'
import { type Json, type JsonObject, messageOf } from '@cadre/core'
import { isInside, mayContainSecret, secretValues } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { maskedJson } from './masked-json.ts'

/** One event. `at` is a time in UTC. */
export interface AuditLine {
  readonly at: string
  readonly type: string
  readonly [field: string]: Json | undefined
}

export interface AuditLog {
  append(line: AuditLine): void
  /**
   * Like `append`, but batched with all lines of this turn of the event loop. The lines are written before any effect that
   * is recorded later.
   */
  appendSoon(line: AuditLine): void
  close(): void
}

export interface AuditLogOptions {
  readonly home: Home
  /** Receives a sentence for a person if the log cannot be written. */
  readonly tell: (message: string) => void
  /** Called when the log is writable again. */
  readonly recovered?: () => void
  readonly environment?: NodeJS.ProcessEnv
}

interface OpenFile {
  readonly day: string
  readonly handle: number
}

export function openAuditLog({
  home,
  tell,
  recovered,
  environment = process.env,
}: AuditLogOptions): AuditLog {
  const mask = createLineMask(secretValues(environment))
  let open: OpenFile | undefined
  let isReported = false
  let isTorn = false
  /** Lines that could not be written yet, in order. */
  let backlog: AuditLine[] = []

  const close = () => {
    const was = open
    open = undefined
    if (was !== undefined) closeSync(was.handle)
  }
  const fileFor = (day: string): number => {
    // If the file was moved or deleted meanwhile, a new one is created.
    if (open !== undefined && open.day === day && fstatSync(open.handle).nlink > 0) return open.handle
    close()
    const folder = home.folder('events')
    if (!isInside(realpathSync(home.path), realpathSync(folder)))
      throw new Error(`${folder} is a link that points outside the home directory`)
    const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDWR } = constants
    const handle = openSync(
      path.join(folder, `${day}.jsonl`),
      O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
      0o600,
    )
    open = { day, handle }
    const stats = fstatSync(handle)
    if (!stats.isFile()) throw new Error(`${day}.jsonl is not a regular file`)
    isTorn = stats.size > 0 && lastByte(handle, stats.size) !== newline
    return handle
  }
  /** Writes lines of one day. Lines that are not completely written stay in the backlog. */
  const write = (day: string, lines: readonly AuditLine[]) => {
    let done = 0
    try {
      const handle = fileFor(day)
      const texts = lines.map(mask)
      for (const text of texts) rememberLine(text)
      const pieces = texts.map((text, index) => Buffer.from(`${index === 0 && isTorn ? '\n' : ''}${text}\n`))
      const bytes = Buffer.concat(pieces)
      let left = writeSync(handle, bytes)
      const isWhole = left === bytes.length
      for (; done < pieces.length; done++) {
        const { length } = pieces[done] as Buffer
        if (left < length) break
        left -= length
      }
      isTorn = !isWhole && (left > 0 || (isTorn && done === 0))
      if (!isWhole) throw new Error('the disk is full')
    } finally {
      backlog.push(...lines.slice(done))
    }
  }
  /** If the file of one day cannot be written, other days are still written. */
  const writeBacklog = () => {
    const lines = backlog
    backlog = []
    const failures = new Map<string, unknown>()
    for (let start = 0, end = 0; start < lines.length; start = end) {
      const day = dayOf(lines[start] as AuditLine)
      while (end < lines.length && end - start < maxBatch && dayOf(lines[end] as AuditLine) === day) end++
      const some = lines.slice(start, end)
      if (failures.has(day)) backlog.push(...some)
      else
        try {
          write(day, some)
        } catch (error) {
          failures.set(day, error)
        }
    }
    for (const failure of failures.values()) throw failure
  }
  const flush = () => {
    unwritten.delete(flush)
    if (backlog.length === 0) return
    try {
      writeBacklog()
      // The failure is reported only once, unless the caller also wants to know when it is over.
      if (isReported && recovered !== undefined) {
        isReported = false
        recovered()
      }
    } catch (error) {
      if (isReported) return
      isReported = true
      tell(
        `cannot write the audit log in ${home.at('events')}: ${messageOf(error)}. Decisions are still recorded in the session files.`,
      )
    }
  }
  const keep = (line: AuditLine) => {
    if (backlog.length < maxBacklog) backlog.push(line)
  }
  return {
    append(line) {
      keep(line)
      flush()
    },
    appendSoon(line) {
      keep(line)
      if (backlog.length >= maxBatch) flush()
      else flushSoon(flush)
    },
    close() {
      flush()
      try {
        close()
      } catch {
        // Already closed, which is the intended result.
      }
    },
  }
}

const newline = 0x0a
const maxBacklog = 10_000
/** This many lines are written immediately, without waiting for more. */
const maxBatch = 100

/** Flushes at the end of this turn of the event loop, or when the process exits. */
const unwritten = new Set<() => void>()
let isWatched = false

function flushSoon(flush: () => void): void {
  if (unwritten.size === 0) setImmediate(flushAll)
  unwritten.add(flush)
  if (isWatched) return
  isWatched = true
  process.on('exit', flushAll)
}

function flushAll(): void {
  for (const flush of [...unwritten]) flush()
}

function dayOf({ at }: AuditLine): string {
  return at.slice(0, 10)
}

const written = new Set<string>()

/** Drops the oldest: only lines newer than a running command matter. */
function rememberLine(line: string): void {
  if (written.size >= 50_000) written.delete(written.values().next().value as string)
  written.add(digestOf(line))
}

/** True if this process has written this line to an audit log. */
export function isLineOfThisProcess(line: string): boolean {
  return written.has(digestOf(line))
}

function digestOf(line: string): string {
  return hash('sha256', line, 'base64')
}

function lastByte(handle: number, size: number): number | undefined {
  const byte = Buffer.alloc(1)
  return readSync(handle, byte, 0, 1, size - 1) === 1 ? byte[0] : undefined
}

/** Returns the line as JSON without secrets. Lines without a possible secret are not parsed. */
function createLineMask(values: readonly string[]): (line: AuditLine) => string {
  const written = values.map((value) => JSON.stringify(value).slice(1, -1))
  return (line) => {
    const text = JSON.stringify(line)
    if (!mayContainSecret.test(text) && !written.some((value) => text.includes(value))) return text
    return JSON.stringify(maskedJson(line as JsonObject, values))
  }
}
