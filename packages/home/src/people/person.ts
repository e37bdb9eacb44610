/**
 * What a person may do. Roles are sets, not a ladder: an `operator` starts, messages and stops sessions, an `approver` decides approvals,
 * and both see everything that a `viewer` sees. An `admin` may do everything.
 */
export const roles = ['viewer', 'operator', 'approver', 'admin'] as const

export type Role = (typeof roles)[number]

/** A person who may use a home. */
export interface Person {
  readonly name: string
  readonly roles: readonly Role[]
  /** The SHA-256 of the person's token, in hexadecimal. The token itself is stored nowhere. */
  readonly tokenHash?: string
  /** The person's system user on this machine. */
  readonly system?: string
  /** The person's Slack user id. */
  readonly slack?: string
}

/** Names are compared as people read them. */
export function isSameName(name: string, other: string | undefined): boolean {
  return nameKey(name) === (other === undefined ? undefined : nameKey(other))
}

export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

/** A name that is safe in a file, a path and a terminal. */
export function isPersonName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,63}$/u.test(name)
}
