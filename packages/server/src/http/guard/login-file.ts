/**
 * A user who can write to the home may log in. `cadre open` writes a file named after a secret's hash, and opens the page with the secret
 * after `#`. Someone who can only read the home cannot get the secret from the hash.
 *
 * 1. A login works once: the file is removed before its content is used.
 * 2. It is valid for 60 seconds.
 * 3. The roles and the name come from the file, never from the request.
 */
import { createHash, randomBytes } from 'node:crypto'
import { closeSync, fstatSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Role } from '@cadre/api'
import { hasCode, namesIn, openWithoutLinks } from '@cadre/disk'
import { type Home, rememberOwnWrite } from '@cadre/home'
import { isRole } from './caller.ts'

export interface LoginGrant {
  readonly by: string
  readonly roles: readonly Role[]
  /** The system user who wrote the login. Absent on systems without user ids. */
  readonly uid?: number
}

export const loginFolder = ['storage', 'logins'] as const

/** How long a login is valid, in milliseconds. */
export const loginMs = 60_000

/** Writes a login to the home and returns its secret. */
export function writeLogin(home: Home, { by, roles }: LoginGrant, now = Date.now()): string {
  const secret = randomBytes(32).toString('base64url')
  const file = path.join(home.folder(...loginFolder), hashOf(secret))
  const text = JSON.stringify({ at: now, by, roles })
  rememberOwnWrite(file, text)
  writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
  return secret
}

/** Uses a login. Returns `undefined` if there is none, if it was used before, or if it is too old. */
export function consumeLogin(home: Home, secret: string, now = Date.now()): LoginGrant | undefined {
  const file = home.at(...loginFolder, hashOf(secret))
  const written = readLogin(file)
  if (written === undefined) return undefined
  try {
    rememberOwnWrite(file, undefined)
    // Only one of several requests can remove it.
    unlinkSync(file)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
  const grant = grantIn(written.text, now)
  return grant && { ...grant, ...(process.getuid !== undefined && { uid: written.uid }) }
}

/** Removes expired logins. Returns the number of logins that are still valid. */
export function removeOldLogins(home: Home, now = Date.now()): number {
  const folder = home.at(...loginFolder)
  let valid = 0
  for (const name of namesOf(folder)) {
    const file = path.join(folder, name)
    try {
      if (grantIn(readLogin(file)?.text ?? '', now) !== undefined) {
        valid += 1
        continue
      }
      rememberOwnWrite(file, undefined)
      unlinkSync(file)
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'EISDIR', 'EPERM')) throw error
    }
  }
  return valid
}

const maxBytes = 4096

/** Reads a login and its owner. A link, a pipe or a device is not a login, and must not block the daemon. */
function readLogin(path: string): { readonly text: string; readonly uid: number } | undefined {
  let file: number | undefined
  try {
    file = openWithoutLinks(path, 'read')
  } catch {
    return undefined
  }
  if (file === undefined) return undefined
  try {
    const { size, uid } = fstatSync(file)
    return size > maxBytes ? undefined : { text: readFileSync(file, 'utf8'), uid }
  } finally {
    closeSync(file)
  }
}

export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

function namesOf(folder: string): readonly string[] {
  try {
    return namesIn(folder).filter((name) => /^[0-9a-f]{64}$/.test(name))
  } catch {
    return []
  }
}

function grantIn(text: string, now: number): LoginGrant | undefined {
  let value: { at?: unknown; by?: unknown; roles?: unknown } | null
  try {
    value = JSON.parse(text) as typeof value
  } catch {
    return undefined
  }
  const { at, by, roles } = value ?? {}
  if (typeof at !== 'number' || typeof by !== 'string' || by === '' || !Array.isArray(roles)) return undefined
  // A time in the future would make the login valid for longer.
  if (at > now + 1000 || now - at > loginMs) return undefined
  return { by, roles: roles.filter(isRole) }
}
