import { CadreError, type VoteChannel } from '@cadre/core'
import { type Home, isUnsandboxedCommandRunning } from '@cadre/home'
import { isInsideCommand } from '../sandbox/command-mark.ts'

/**
 * Throws if the caller could be an agent: inside an agent's command, or while a command is running without a sandbox in
 * this home. Ignores this process's own commands.
 */
export function requirePerson(
  home: Home,
  environment: NodeJS.ProcessEnv = process.env,
  via?: VoteChannel,
): void {
  if (isInsideCommand(home, environment))
    throw new CadreError(
      'policy',
      `an agent's command requested this, and agents may not decide approvals. Run the command outside the session, in ${home.path}`,
    )
  // Requests over HTTP come from outside, so this process's own commands could have sent them too.
  if (isUnsandboxedCommandRunning(home, { byOthers: via !== 'page' && via !== 'api' }))
    throw new CadreError(
      'owned',
      `a command is running without a sandbox in ${home.path} and could have requested this. Retry when it has ended.`,
    )
}
