/**
 * Changes a file that people have open in their editors. Call it under a lock among cadre's own processes.
 *
 * 1. The file is at any time the old one or the new one, whole.
 * 2. What somebody else wrote between the look and the change is not overwritten: the change is made again, to that.
 * 3. Only a plain file is changed; a link could lead anywhere.
 */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  type Stats,
} from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import type { RawText } from '@cadre/disk'
import { hasCode, ownerOnly, unlinkIfThere, writeWhole } from '@cadre/disk'
import { rememberWritten } from '../trust/unguarded.ts'

const tries = 100

/** `edit` gets nothing when there is no file, and gives nothing back when there is nothing to change. True when it changed. */
export function editFile(file: string, edit: (raw: RawText | undefined) => RawText | undefined): boolean {
  for (let attempt = 0; attempt < tries; attempt++) {
    const before = readPlain(file)
    const wanted = edit(before?.raw)
    if (wanted === undefined || wanted === before?.raw) return false
    const draft = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`)
    try {
      writeDraft(draft, wanted, before?.stats.mode)
      if (!isStill(file, before)) continue
      rememberWritten(file, Buffer.from(wanted, 'latin1'))
      if (putInPlace(draft, file, before)) return true
    } finally {
      unlinkIfThere(draft)
    }
  }
  throw new CadreError('timeout', 'another program keeps writing this file. Try again.', {
    where: file,
  })
}

/** A plain file as raw text; nothing when there is none. */
export function readPlainFile(file: string): RawText | undefined {
  return readPlain(file)?.raw
}

interface Found {
  readonly raw: RawText
  readonly stats: Stats
}

function readPlain(file: string): Found | undefined {
  try {
    const stats = lstatSync(file)
    if (!stats.isFile())
      throw new CadreError(
        'configuration',
        'this must be a regular file. Replace it with one, or remove it.',
        {
          where: file,
        },
      )
    return { raw: readFileSync(file, 'latin1'), stats }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

function isStill(file: string, before: Found | undefined): boolean {
  const now = readPlain(file)
  return now?.raw === before?.raw && now?.stats.ino === before?.stats.ino
}

function writeDraft(draft: string, raw: RawText, mode: number | undefined): void {
  unlinkIfThere(draft)
  const target = openSync(draft, 'wx', ownerOnly)
  try {
    writeWhole(target, Buffer.from(raw, 'latin1'), 0)
    if (mode !== undefined) fchmodSync(target, mode & 0o777)
    // A person's text is in it too: a power loss must not leave an empty file under the old name.
    fsyncSync(target)
  } finally {
    closeSync(target)
  }
}

/** A new file does not replace one that somebody has just made. */
function putInPlace(draft: string, file: string, before: Found | undefined): boolean {
  if (before !== undefined) {
    renameSync(draft, file)
    return true
  }
  try {
    linkSync(draft, file)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    if (!hasCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK')) throw error
    renameSync(draft, file)
  }
  return true
}
