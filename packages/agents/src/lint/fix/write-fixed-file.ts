import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/disk'
import { rememberOwnWrite } from '@cadre/home'

export interface WriteRequest {
  readonly file: string
  /** Nothing outside this folder is written, even through links. */
  readonly within: string
  /** The bytes that the new text was made from. */
  readonly before: Buffer
  readonly text: string
}

/** Replaces the file atomically, with the same mode. A link is followed and kept. Returns why nothing was written. */
export function writeFixedFile({ file, within, before, text }: WriteRequest): string | undefined {
  const target = realpathSync(file)
  if (!isInside(realpathSync(within), target)) return `the file is a link that points outside ${within}`
  if (!lstatSync(target).isFile()) return 'the path is not a regular file'
  const beside = path.join(path.dirname(target), `.${path.basename(target)}.${process.pid}.tmp`)
  const handle = openSync(beside, 'wx', 0o600)
  try {
    try {
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at)
      fchmodSync(handle, statSync(target).mode & 0o7777)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    if (!readFileSync(target).equals(before)) {
      unlinkSync(beside)
      return 'another program has changed the file'
    }
    rememberOwnWrite(target, text)
    renameSync(beside, target)
    return undefined
  } catch (error) {
    try {
      unlinkSync(beside)
    } catch {
      // The original error matters more.
    }
    throw error
  }
}
