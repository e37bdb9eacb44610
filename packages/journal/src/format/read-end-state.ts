import { closeSync, fstatSync, readSync, type Stats } from 'node:fs'
import { hasCode, openRegularFile } from '@cadre/disk'

const topSize = 1024
const tailSize = 2048
/** Most files are shorter, and are read at once. */
const pageSize = 4096
const page = Buffer.allocUnsafe(pageSize)

export interface EndState {
  /** The stats of the file that was read. */
  readonly stats: Stats
  readonly isReadyToCommit: boolean
}

/**
 * Determines from the header and the last entry of a session file whether the session has ended and nothing was added since. False also if
 * the file is not in Cadre's format and has to be read completely. Reads nothing if `isKnown` returns true. Throws if the file cannot be
 * opened.
 */
export function readEndState(
  path: string,
  isKnown?: (stats: Stats) => boolean,
): EndState | 'absent' | 'known' {
  let file: number
  try {
    file = openRegularFile(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 'absent'
    throw error
  }
  try {
    const stats = fstatSync(file)
    return isKnown?.(stats) ? 'known' : { stats, isReadyToCommit: isReadyToCommit(file, stats.size) }
  } finally {
    closeSync(file)
  }
}

function isReadyToCommit(file: number, size: number): boolean {
  const text = textAt(file, 0)
  if (!/^status: (?:completed|error) /m.test(text.slice(0, topSize))) return false
  const end = size <= text.length ? text : textAt(file, Math.max(0, size - tailSize), tailSize)
  return isEnd(end) ?? isEnd(readLastEntry(file, size)) ?? false
}

function textAt(file: number, from: number, length = pageSize): string {
  return page.toString('latin1', 0, readSync(file, page, 0, length, from))
}

const maxEntryBytes = 1 << 20

/** A report may be long. */
function readLastEntry(file: number, size: number): string {
  const length = Math.min(size, maxEntryBytes)
  const more = Buffer.allocUnsafe(length)
  return more.toString('latin1', 0, readSync(file, more, 0, length, size - length))
}

/** Returns `undefined` if the last entry starts before this text. */
function isEnd(text: string): boolean | undefined {
  const at = text.lastIndexOf('\n  - ')
  if (at < 0) return undefined
  const last = text.slice(at + 1)
  const number = /^ {2}- seq: (\d+)\n {4}timestamp: [^\n]*\n {4}role: event\n {4}type: session\.ended\n/.exec(
    last,
  )?.[1]
  return number !== undefined && last.endsWith(`\n    # end ${number}\n`)
}
