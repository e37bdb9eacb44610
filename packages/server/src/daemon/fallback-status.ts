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
 * Writes the status outside the home while the home is not writable, because people check the status when the disk is full. Others may
 * write to that folder, so a file of another user is neither changed nor trusted.
 */
export function writeFallbackStatus(home: Home, text: string): void {
  const place = placeOf(home)
  try {
    removeFallbackStatus(home)
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants
    const file = openSync(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    try {
      writeFileSync(file, text)
    } finally {
      closeSync(file)
    }
  } catch {
    // Only the log has it then.
  }
}

export function readFallbackStatus(home: Home): DaemonStatus | undefined {
  const place = placeOf(home)
  try {
    return isOwn(place) ? (JSON.parse(readFileSync(place, 'utf8')) as DaemonStatus) : undefined
  } catch {
    return undefined
  }
}

export function removeFallbackStatus(home: Home): void {
  const place = placeOf(home)
  if (isOwn(place)) rmSync(place, { force: true })
}

function isOwn(place: string): boolean {
  const stats = lstatSync(place, { throwIfNoEntry: false })
  if (stats === undefined || !stats.isFile()) return false
  const user = process.getuid?.()
  return user === undefined || stats.uid === user
}

/** In a memory-backed folder if the system has one, because the temporary folder may be on the same disk. */
function placeOf({ path: home }: Home): string {
  const folder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const name = createHash('sha256').update(home).digest('hex').slice(0, 24)
  return path.join(folder, `cadre-${process.getuid?.() ?? 'user'}-${name}.json`)
}
