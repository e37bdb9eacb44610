import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { sentenceOf } from '@cadre/core'
import type { Diagnostic } from '@cadre/disk'

const root = 0

/**
 * Checks that only the administrator can change the organisation's policy: the file, its real folder, and the folder of the link. The
 * policy applies anyway, because it can only tighten.
 */
export function checkProtection(file: string): Diagnostic[] {
  if (process.platform === 'win32') return []
  try {
    const real = realpathSync(file)
    const places = new Set([real, path.dirname(real), realpathSync(path.dirname(file))])
    return [...places].flatMap((place) => weaknessOf(place, file) ?? [])
  } catch (error) {
    return [warning(file, `Cannot check who can change this policy: ${sentenceOf(error)}`)]
  }
}

function weaknessOf(place: string, file: string): Diagnostic | undefined {
  const { uid, gid, mode } = statSync(place)
  const who = place === file ? 'This policy' : place
  if (uid !== root)
    return warning(
      file,
      `${who} is owned by user ${uid}, not by root, so that user can change the organisation's policy.`,
      `Run: chown root ${place}`,
    )
  const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== root)
  if (!isOpen) return undefined
  const others = (mode & 0o002) !== 0 ? 'anyone' : `group ${gid}`
  return warning(
    file,
    `${who} is writable by ${others}, who can change the organisation's policy.`,
    `Run: chmod go-w ${place}`,
  )
}

function warning(file: string, message: string, fix?: string): Diagnostic {
  return {
    path: file,
    severity: 'warning',
    code: 'policy-unprotected',
    message,
    ...(fix !== undefined && { fix }),
  }
}
