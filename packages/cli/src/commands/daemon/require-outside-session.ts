import { CadreError } from '@cadre/core'
import { isInsideCommand } from '@cadre/gate'
import type { Home } from '@cadre/home'
import type { Io } from '../../io.ts'

/** Throws inside an agent's command: an agent under the daemon may neither start nor stop one. */
export function requireOutsideSession(home: Home, { env }: Io): void {
  if (!isInsideCommand(home, env)) return
  throw new CadreError(
    'policy',
    `agents may not start or stop the daemon on ${home.path}. Run this command outside the session.`,
  )
}
