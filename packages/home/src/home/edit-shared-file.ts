/**
 * Changes a file that people may have open in an editor. Call it under a lock between Cadre's processes.
 *
 * 1. At any time the file is either the complete old version or the complete new one.
 * 2. An edit between the read and the write is not overwritten: the change is applied again to the edited file.
 * 3. Only a regular file is changed, because a link could point anywhere.
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
import { hasCode, ownerOnly, unlinkIfExists, writeFully } from '@cadre/disk'
import { rememberOwnWrite } from '../trust/unsandboxed-command.ts'

const tries = 100

/** `edit` receives `undefined` if there is no file, and returns `undefined` to change nothing. Returns true if the file changed. */
export function editFile(file: string, edit: (raw: RawText | undefined) => RawText | undefined): boolean {
  for (let attempt = 0; attempt < tries; attempt++) {
    const before = readPlain(file)
    const wanted = edit(before?.raw)
    if (wanted === undefined || wanted === before?.raw) return false
    const draft = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`)
    try {
      writeDraft(draft, wanted, before?.stats.mode)
      if (!isStill(file, before)) continue
      rememberOwnWrite(file, Buffer.from(wanted, 'latin1'))
      if (putInPlace(draft, file, before)) return true
    } finally {
      unlinkIfExists(draft)
    }
  }
  throw new CadreError('timeout', 'another program keeps writing this file. Try again.', {
    where: file,
  })
}

/** Reads a regular file as raw text, or returns `undefined` if there is none. */
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
  unlinkIfExists(draft)
  const target = openSync(draft, 'wx', ownerOnly)
  try {
    writeFully(target, Buffer.from(raw, 'latin1'), 0)
    if (mode !== undefined) fchmodSync(target, mode & 0o777)
    // The file contains a person's text, so a power loss must not leave it empty.
    fsyncSync(target)
  } finally {
    closeSync(target)
  }
}

/** A new file must not replace one that was just created. */
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
