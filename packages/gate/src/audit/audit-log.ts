/**
 * Owns the files `events/YYYY-MM-DD.jsonl` of a home for writing, as far as this process is concerned.
 *
 * 1. One line is one write to a file that was opened for appending: lines of several processes never mix.
 * 2. A line that could not be written whole is ended before the next one, so that it spoils no other.
 * 3. It never throws and never waits. When it cannot write it says so, once, and keeps so many lines for when it can: the
 *    decisions themselves are in the journals, without which no effect happens.
 * 4. It writes to plain files in the home and nowhere else, whatever links somebody has put there.
 */
import { hash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, writeSync } from 'node:fs'
import path from 'node:path'
import { type Json, type JsonObject, messageOf } from '@cadre/core'
import { isInside } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { maskSecrets, mayHoldSecret, secretValues } from './mask-secrets.ts'

/** What happened. `at` is a time in UTC. */
export interface AuditLine {
  readonly at: string
  readonly type: string
  readonly [field: string]: Json | undefined
}

export interface AuditLog {
  append(line: AuditLine): void
  close(): void
}

export interface AuditLogOptions {
  readonly home: Home
  /** Gets a sentence for a person when nothing can be written. */
  readonly tell: (message: string) => void
  /** Called when it can be written again. */
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
  let isTold = false
  let isTorn = false
  /** What could not be written yet, in its order. */
  let backlog: AuditLine[] = []

  const close = () => {
    const was = open
    open = undefined
    if (was !== undefined) closeSync(was.handle)
  }
  const fileFor = (day: string): number => {
    // Somebody may have moved or removed the file meanwhile: then there is to be a new one.
    if (open !== undefined && open.day === day && fstatSync(open.handle).nlink > 0) return open.handle
    close()
    const folder = home.folder('events')
    if (!isInside(realpathSync(home.path), realpathSync(folder)))
      throw new Error(`${folder} is a link that leads out of the home`)
    const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDWR } = constants
    const handle = openSync(
      path.join(folder, `${day}.jsonl`),
      O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
      0o600,
    )
    open = { day, handle }
    const stats = fstatSync(handle)
    if (!stats.isFile()) throw new Error(`${day}.jsonl is not a plain file`)
    isTorn = stats.size > 0 && lastByte(handle, stats.size) !== newline
    return handle
  }
  const write = (line: AuditLine) => {
    const handle = fileFor(line.at.slice(0, 10))
    const text = mask(line)
    const bytes = Buffer.from(`${isTorn ? '\n' : ''}${text}\n`)
    rememberLine(text)
    const done = writeSync(handle, bytes)
    isTorn = done !== bytes.length && (isTorn || done > 0)
    if (done !== bytes.length) throw new Error('the disk is full')
  }
  /** A day whose file takes no more keeps no other from being written. */
  const writeBacklog = () => {
    const failures = new Map<string, unknown>()
    backlog = backlog.filter((line) => {
      const day = line.at.slice(0, 10)
      if (failures.has(day)) return true
      try {
        write(line)
        return false
      } catch (error) {
        failures.set(day, error)
        return true
      }
    })
    for (const failure of failures.values()) throw failure
  }
  return {
    append(line) {
      if (backlog.length < mostKept) backlog.push(line)
      try {
        writeBacklog()
        // Whoever is told once is told once, unless they want to know when it is over.
        if (isTold && recovered !== undefined) {
          isTold = false
          recovered()
        }
      } catch (error) {
        if (isTold) return
        isTold = true
        tell(
          `the audit in ${home.at('events')} cannot be written: ${messageOf(error)}; decisions are still recorded in the session files`,
        )
      }
    },
    close() {
      try {
        close()
      } catch {
        // It was closed by somebody else, which is what was wanted.
      }
    },
  }
}

const newline = 0x0a
const mostKept = 10_000

const written = new Set<string>()

/** The oldest go: only lines that are newer than a running command matter. */
function rememberLine(line: string): void {
  if (written.size >= 50_000) written.delete(written.values().next().value as string)
  written.add(digestOf(line))
}

/** Whether this process has written such a line into an audit. */
export function isOwnLine(line: string): boolean {
  return written.has(digestOf(line))
}

function digestOf(line: string): string {
  return hash('sha256', line, 'base64')
}

function lastByte(handle: number, size: number): number | undefined {
  const byte = Buffer.alloc(1)
  return readSync(handle, byte, 0, 1, size - 1) === 1 ? byte[0] : undefined
}

/** The line as JSON without secrets. A line that has nothing that could be one is not taken apart. */
function createLineMask(values: readonly string[]): (line: AuditLine) => string {
  const written = values.map((value) => JSON.stringify(value).slice(1, -1))
  return (line) => {
    const text = JSON.stringify(line)
    if (!mayHoldSecret.test(text) && !written.some((value) => text.includes(value))) return text
    return JSON.stringify(masked(line as JsonObject, values))
  }
}

const secretKey = /^(?:.*[-_])?(?:passw(?:or)?d|passphrase|secret|token|api[-_]?key|authorization)$/i

/** Every text in it, keys of objects excepted: they say what something is. */
function masked(value: Json | undefined, values: readonly string[], key = ''): Json | undefined {
  if (typeof value === 'string')
    return secretKey.test(key) && value !== '' ? '***' : maskSecrets(value, values)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: Json) => masked(item, values, key) as Json)
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, masked(item, values, name) as Json]),
  )
}
