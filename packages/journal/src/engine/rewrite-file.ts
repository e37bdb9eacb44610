import {
  closeSync,
  fchmodSync,
  fdatasyncSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { ownerOnly, writeFully } from '@cadre/disk'
import { emitEntry } from '../format/emit-entry.ts'
import type { EngineParts } from './engine-parts.ts'
import type { SessionFile } from './session-file.ts'

/** Rewrites the whole file in Cadre's format, atomically. */
export function rewriteFile(file: SessionFile, parts: EngineParts): void {
  const bytes = Buffer.from(file.header() + file.entries.map(emitEntry).join(''))
  const beside = `${file.path}.tmp`
  parts.home.folder('sessions')
  const before = lstatSync(file.path, { throwIfNoEntry: false })
  const target = openSync(beside, 'w', ownerOnly)
  try {
    // Keeps the permission bits of a regular file.
    if (before?.isFile()) fchmodSync(target, before.mode & 0o777)
    writeFully(target, bytes, 0)
    fdatasyncSync(target)
  } finally {
    closeSync(target)
  }
  renameSync(beside, file.path)
  file.lead = ''
  adoptContent(file, bytes, parts, statSync(file.path))
}

/** Makes these bytes the known content of the file. Further entries are appended to them. */
export function adoptContent(file: SessionFile, bytes: Buffer, parts: EngineParts, stats: Stats): void {
  parts.files.close(file)
  file.remember(stats)
  file.size = bytes.length
  file.isBased = true
  parts.ahead.add('file.adopted', file, 0, bytes)
  // Neither the file nor its new name is synced yet.
  parts.ahead.include(file.path)
  parts.ahead.include(dirname(file.path))
}
