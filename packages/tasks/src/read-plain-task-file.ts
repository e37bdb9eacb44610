import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { sentenceOf } from '@cadre/core'
import type { RawText } from '@cadre/disk'
import { hasCode } from '@cadre/disk'
import type { TaskProblem } from './task-item.ts'

/** A larger file was not written by hand, and is not read. */
export const maxBytes = 16 * 1024 * 1024

export interface PlainTaskFile {
  /** Changes with every change of the file. `none` if there is no file. */
  readonly stamp: string
  /** When it changed last, in milliseconds. */
  readonly changed: number
  readonly content: { readonly raw: RawText } | { readonly problem: TaskProblem }
}

/** Reads a task file, unless its stamp is the known one. A read error is returned as a problem of the file. */
export function readPlainTaskFile(file: string, known?: string): PlainTaskFile | 'known' {
  let handle: number
  try {
    // Does not follow links or block on pipes.
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return { stamp: 'none', changed: 0, content: { raw: '' } }
    const isLink = hasCode(error, 'ELOOP', 'EMLINK')
    return { stamp: 'unreadable', changed: 0, content: { problem: isLink ? notPlain : unreadable(error) } }
  }
  try {
    const stats = fstatSync(handle, { bigint: true })
    const stamp = `${stats.dev}.${stats.ino}.${stats.size}.${stats.mtimeNs}.${stats.ctimeNs}`
    if (stamp === known) return 'known'
    const changed = Math.max(Number(stats.mtimeMs), Number(stats.ctimeMs))
    if (!stats.isFile()) return { stamp, changed, content: { problem: notPlain } }
    if (stats.size > maxBytes) return { stamp, changed, content: { problem: tooLarge } }
    const raw = readFileSync(handle, 'latin1')
    return { stamp, changed, content: isText(raw) ? { raw } : { problem: notText } }
  } catch (error) {
    return { stamp: 'unreadable', changed: 0, content: { problem: unreadable(error) } }
  } finally {
    closeSync(handle)
  }
}

/** UTF-8 text contains no zero bytes; in UTF-16, almost every second byte is zero. */
export function isText(raw: RawText): boolean {
  return !raw.includes('\0')
}

const about = { severity: 'error', line: 1, column: 1 } as const
const notPlain: TaskProblem = {
  ...about,
  code: 'TD901',
  message: 'This is not a regular file. Replace it with one, or remove it.',
}
export const tooLarge: TaskProblem = {
  ...about,
  code: 'TD902',
  message: `Cadre does not read this file, because it is larger than ${maxBytes / 1024 / 1024} MiB. Move completed tasks to another file.`,
}
export const notText: TaskProblem = {
  ...about,
  code: 'TD903',
  message: 'This file is not UTF-8 text. Save it as UTF-8.',
}

function unreadable(error: unknown): TaskProblem {
  return { ...about, code: 'TD900', message: `Cannot read this file: ${sentenceOf(error)}` }
}
