import { CadreError } from '@cadre/core'
import { type Home, isUnguarded } from '@cadre/home'
import { isInsideCommand } from '../sandbox/command-mark.ts'

/**
 * Throws if the caller could be an agent: inside a command of an agent, or while a command without a sandbox is running in
 * this home. Commands of this process do not count.
 */
export function requirePerson(home: Home, environment: NodeJS.ProcessEnv = process.env): void {
  if (isInsideCommand(home, environment))
    throw new CadreError(
      'policy',
      `an agent's command requested this, and agents may not decide approvals. Run it outside the session, in ${home.path}`,
    )
  if (isUnguarded(home, { byOthers: true }))
    throw new CadreError(
      'owned',
      `a command without a sandbox is running in ${home.path} and could have requested this. Try again when it has ended.`,
    )
}
