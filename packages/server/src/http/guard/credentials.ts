/**
 * Owns the pages' credentials. A credential has two halves, and a request needs both: a cookie that no script can read, and a key that no
 * browser sends automatically. Browsers send a cookie for 127.0.0.1 to all of its ports, so a cookie alone proves nothing.
 *
 * 1. Only hashes are kept, and only in memory: a restart logs everyone out.
 * 2. Hashes are compared in constant time.
 * 3. A credential ends after 24 hours, at logout, or when its person has too many. Nobody can end other people's credentials.
 * 4. A credential from a token also ends when no person has that token. It always has the person's current name and roles.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type Caller, withIncluded } from './caller.ts'
import { hashOf, type LoginGrant } from './login-file.ts'
import type { People } from './people.ts'

export interface Credentials {
  /** `cookie` is the value of `Set-Cookie`. */
  create(grant: LoginGrant & Pick<Caller, 'tokenHash'>): { readonly key: string; readonly cookie: string }
  find(headers: IncomingHttpHeaders): Caller | undefined
  /** Ends a caller's login. Returns the `Set-Cookie` value that removes the cookie. */
  remove(login: string): string
  /** The number of valid logins. */
  count(): number
}

interface Credential {
  readonly key: Buffer
  readonly caller: Caller
  readonly until: number
}

const lifeMs = 24 * 3600_000
/** For each person with a token, and for all logins made by `cadre open` together. */
const maxCredentials = 20

export interface CredentialsOptions {
  readonly port: number
  readonly people: People
  readonly now?: (() => number) | undefined
}

export function createCredentials({ port, people, now = Date.now }: CredentialsOptions): Credentials {
  /** By the cookie's hash, oldest first. */
  const known = new Map<string, Credential>()
  const name = `cadre-${port}`
  const pattern = new RegExp(`(?:^|;\\s*)${name}=([\\w-]{43})(?:;|$)`)
  const attributes = 'Path=/api; HttpOnly; SameSite=Strict'
  const removeOld = () => {
    for (const [login, { until }] of known) if (until <= now()) known.delete(login)
  }
  /** The caller, with the current roles from the home's people. */
  const current = (caller: Caller): Caller | undefined => {
    if (caller.tokenHash === undefined) return caller
    const person = people.findByTokenHash(caller.tokenHash)
    return person && { ...caller, by: person.name, roles: withIncluded(person.roles) }
  }
  return {
    create({ by, roles, uid, tokenHash }) {
      removeOld()
      const own = [...known].filter(([, { caller }]) => caller.tokenHash === tokenHash)
      if (own.length >= maxCredentials && own[0] !== undefined) known.delete(own[0][0])
      const [cookie, key] = [newHalf(), newHalf()]
      const login = hashOf(cookie)
      known.set(login, {
        key: Buffer.from(hashOf(key)),
        caller: {
          by,
          roles: withIncluded(roles),
          login,
          via: 'page',
          ...(uid !== undefined && { uid }),
          ...(tokenHash !== undefined && { tokenHash }),
        },
        until: now() + lifeMs,
      })
      return { key, cookie: `${name}=${cookie}; ${attributes}; Max-Age=${lifeMs / 1000}` }
    },
    find(headers) {
      const cookie = pattern.exec(headers.cookie ?? '')?.[1]
      const key = headers['x-cadre-key']
      if (cookie === undefined || typeof key !== 'string') return undefined
      // Looking up a hash reveals nothing about the cookie.
      const found = known.get(hashOf(cookie))
      if (found === undefined || found.until <= now()) return undefined
      return timingSafeEqual(Buffer.from(hashOf(key)), found.key) ? current(found.caller) : undefined
    },
    remove(login) {
      known.delete(login)
      return `${name}=; ${attributes}; Max-Age=0`
    },
    count() {
      removeOld()
      return known.size
    },
  }
}

function newHalf(): string {
  return randomBytes(32).toString('base64url')
}
