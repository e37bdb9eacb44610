import type { Role } from '@cadre/api'

/** The person who sends a request. Comes from the login or the token, never from the request's content. */
export interface Caller {
  /** The name under which decisions are recorded. */
  readonly by: string
  readonly roles: readonly Role[]
  /** Identifies the login, to limit its number of streams. */
  readonly login: string
  /** `page`: a login from `cadre open` or a token. `token`: a token in every request. */
  readonly via: 'page' | 'token'
  /** The SHA-256 of the person's token. Absent for a login from `cadre open`. */
  readonly tokenHash?: string
  /**
   * For a login from `cadre open`: the system user who wrote it. Before the login: the system user who connects. Absent if the system does not report it.
   */
  readonly uid?: number
}

/** Roles are sets: an approver cannot operate, and an operator cannot approve. */
const included: { readonly [role in Role]: readonly Role[] } = {
  viewer: ['viewer'],
  operator: ['viewer', 'operator'],
  approver: ['viewer', 'approver'],
  admin: ['viewer', 'operator', 'approver', 'admin'],
}

export const allRoles: readonly Role[] = ['viewer', 'operator', 'approver', 'admin']

export function isRole(value: unknown): value is Role {
  return typeof value === 'string' && Object.hasOwn(included, value)
}

/** All roles that these roles include, in a fixed order. */
export function withIncluded(roles: readonly Role[]): readonly Role[] {
  return allRoles.filter((role) => roles.some((one) => included[one].includes(role)))
}

export function mayAct({ roles }: Pick<Caller, 'roles'>, needed: Role): boolean {
  return roles.some((role) => included[role].includes(needed))
}
