import { CadreError } from '@cadre/core'
import { isInsideCommand } from '@cadre/gate'
import type { Home } from '@cadre/home'
import type { Io } from '../../io.ts'

/** Throws inside of an agent's command: who works under the daemon neither starts nor stops one. */
export function requireOutside(home: Home, { env }: Io): void {
  if (!isInsideCommand(home, env)) return
  throw new CadreError(
    'policy',
    `a command of an agent asks for this, and no agent starts or stops what watches over it; do it outside of the session, in ${home.path}`,
  )
}
