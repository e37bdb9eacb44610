import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'

/**
 * The system user that runs this process, by its user id. Unlike `$USER`, a person cannot choose it. A user id without a name is shown as
 * `uid:1000`.
 */
export function currentUser(): string {
  const uid = process.getuid?.()
  if (uid !== undefined) return userOf(uid)
  try {
    return userInfo().username
  } catch {
    return 'uid:unknown'
  }
}

const known = new Map<number, string>()

/** The name of a system user, from the user database. */
export function userOf(uid: number): string {
  const name = known.get(uid) ?? nameIn(passwd(), uid) ?? nameFromSystem(uid) ?? `uid:${uid}`
  known.set(uid, name)
  return name
}

function passwd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8')
  } catch {
    return ''
  }
}

function nameIn(text: string, uid: number): string | undefined {
  for (const line of text.split('\n')) {
    const [name = '', , id] = line.split(':')
    if (name !== '' && id === String(uid)) return name
  }
  return undefined
}

/** For users of a directory service, and on macOS, which are not in the file. */
function nameFromSystem(uid: number): string | undefined {
  for (const program of ['/usr/bin/id', '/bin/id'])
    try {
      const name = execFileSync(program, ['-nu', String(uid)], {
        encoding: 'utf8',
        timeout: 5_000,
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim()
      if (name !== '' && name !== String(uid)) return name
    } catch {
      // The program does not exist, or does not know the user.
    }
  return undefined
}
