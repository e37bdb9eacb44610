import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Home } from '@cadre/home'
import type { DaemonStatus } from './daemon-status.ts'

/**
 * Where a daemon says how it is while it cannot say so in its home: a full disk is what people look at the status for. Others may
 * write in that folder, so a name that is taken by anybody else is not touched, and not believed.
 */
export function writeElsewhere(home: Home, text: string): void {
  const place = placeOf(home)
  try {
    forgetElsewhere(home)
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants
    const file = openSync(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    try {
      writeFileSync(file, text)
    } finally {
      closeSync(file)
    }
  } catch {
    // Then only the log says it.
  }
}

export function readElsewhere(home: Home): DaemonStatus | undefined {
  const place = placeOf(home)
  try {
    return isOwn(place) ? (JSON.parse(readFileSync(place, 'utf8')) as DaemonStatus) : undefined
  } catch {
    return undefined
  }
}

export function forgetElsewhere(home: Home): void {
  const place = placeOf(home)
  if (isOwn(place)) rmSync(place, { force: true })
}

function isOwn(place: string): boolean {
  const stats = lstatSync(place, { throwIfNoEntry: false })
  if (stats === undefined || !stats.isFile()) return false
  const user = process.getuid?.()
  return user === undefined || stats.uid === user
}

/** In memory where the system has such a folder: the disk of the temporary one may be the same. */
function placeOf({ path: home }: Home): string {
  const folder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const name = createHash('sha256').update(home).digest('hex').slice(0, 24)
  return path.join(folder, `cadre-${process.getuid?.() ?? 'user'}-${name}.json`)
}
