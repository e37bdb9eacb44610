import { createHash } from 'node:crypto'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { type FolderItem, type HomeState, inspectHome, listHomeItems } from '@cadre/gate'
import { createTrust, type Home, openUserHomes, type TrustItem } from '@cadre/home'
import type { Environment } from './environment.ts'
import { homeOf, userPaths } from './user-paths.ts'

export interface TrustFlags {
  readonly home?: string | undefined
  readonly trust?: boolean | undefined
  /** For a resumed run: what `--trust` covered when it started, the home included. */
  readonly granted?: readonly TrustItem[] | undefined
}

/** `--trust`, or `CADRE_TRUST=1`. */
export function trustsEverything({ env }: Environment, { trust }: TrustFlags): boolean {
  return trust === true || env['CADRE_TRUST'] === '1'
}

/** Returns whether this user created the home, and which of its files the project's git tracks. Changes nothing. */
export function homeStateOf(io: Environment, home: Home, { granted }: TrustFlags = {}): Promise<HomeState> {
  const homes = openUserHomes(userPaths(io.env).homes)
  return inspectHome(home.path, granted === undefined ? homes : { owns: () => true })
}

/** The items that a person must trust before Cadre uses this home. Empty if there are none. */
export async function untrustedItems(
  io: Environment,
  home: Home,
  flags: TrustFlags = {},
): Promise<readonly FolderItem[]> {
  if (trustsEverything(io, flags)) return []
  const trust = createTrust({ file: userPaths(io.env).trust, also: flags.granted })
  const items = listHomeItems(home.path, await homeStateOf(io, home, flags))
  return items.filter((item) => item.path === home.path || !trust.trusts(item))
}

/** The home for a command that changes it or decides something in it. Rejects if the home is not trusted. */
export async function requireTrustedHome(io: Environment, flags: TrustFlags): Promise<Home> {
  const home = homeOf(io, flags.home, flags.trust)
  rejectUntrusted(home, await untrustedItems(io, home, flags))
  return home
}

/** The home that a run uses: this one or, until a person trusts it, its substitute. */
export async function homeForRun(io: Environment, flags: TrustFlags): Promise<Home> {
  const home = homeOf(io, flags.home, flags.trust)
  const untrusted = await untrustedItems(io, home, flags)
  return untrusted.length === 0 ? home : substituteHome(io, home)
}

/** `command`: the one that asks in a terminal. */
export function rejectUntrusted(
  home: Home,
  items: readonly FolderItem[],
  command = '"cadre run" or "cadre up"',
): void {
  if (items.length === 0) return
  const reasons = items.map(({ what }) => `it ${what}`).join('; ')
  throw new CadreError(
    'configuration',
    `this home directory is not trusted: ${reasons}. Inspect it, then start ${command} in a terminal and answer the question, or use --trust (or CADRE_TRUST=1) for one command.`,
    { where: home.path },
  )
}

/**
 * The home to use instead of an untrusted one: a folder of this user outside all projects, so that nothing in the untrusted home is read by
 * accident.
 */
export function substituteHome(io: Environment, { path: home }: Home): Home {
  const digest = createHash('sha256').update(home).digest('hex').slice(0, 12)
  const name = `${path.basename(path.dirname(home)) || 'root'}-${digest}`
  return homeOf(io, path.join(userPaths(io.env).state, 'untrusted', name))
}
