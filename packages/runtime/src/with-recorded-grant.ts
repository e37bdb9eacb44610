import { openGrants } from '@cadre/home'
import type { Environment } from './environment.ts'
import type { TrustFlags } from './home-trust.ts'
import { idsWithPrefix } from './open-sessions.ts'
import { homeOf, userPaths } from './user-paths.ts'

/**
 * Adds what the run of a session was granted with `--trust` to the flags of a command. Only file names are read before the home is
 * trusted, so `beginning` must be the id of the entry session or a prefix of it.
 */
export function withRecordedGrant<Flags extends Omit<TrustFlags, 'granted'>>(
  io: Environment,
  flags: Flags,
  beginning: string,
): Flags & TrustFlags {
  if (flags.trust === true) return flags
  const home = homeOf(io, flags.home)
  const [id, ...others] = idsWithPrefix(home, beginning)
  if (id === undefined || others.length > 0) return flags
  const granted = openGrants(userPaths(io.env).grants).of(home.path, id)?.trust
  return granted === undefined ? flags : { ...flags, granted }
}
