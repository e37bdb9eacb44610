import {
  cacheSignOut,
  findServer,
  forgetAccount,
  type KnownAccount,
  listAccounts,
  mayBeSignedIn,
  readCache,
  type ServerProcess,
  serverConfigProblem,
  signInFolder,
  signOut,
  storedSignIns,
  tokenVariable,
  withServer,
} from '@cadre/backends'
import { CadreError } from '@cadre/core'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { copilotServer } from './copilot-server.ts'
import { createTerminalUser } from './terminal-user.ts'

export interface LogoutFlags {
  readonly forget?: boolean
  readonly home?: string
  readonly json?: boolean
}

/** `cadre logout`. */
export async function logout(io: Io, flags: LogoutFlags): Promise<ExitCode> {
  const { env } = io
  const variable = tokenVariable(env)
  const configured = await copilotServer(io, flags.home)
  const isStored = storedSignIns(env) !== undefined
  const hasServer = findServer({ env, configured }) !== undefined
  if (isStored && !hasServer && (flags.forget || mayBeSignedIn(env))) throw signOutError(env, configured)
  const left = isStored && hasServer ? await signOutUser(io, flags, configured) : undefined
  if (left === 'cancelled') return exitCodes.cancelled
  const kept = left?.kept.map(({ user }) => user) ?? []
  const status =
    variable === undefined ? (left === undefined ? 'not-signed-in' : 'signed-out') : 'environment'
  if (flags.json)
    io.stdout.write(`${JSON.stringify({ type: 'logout', status, kept, ...(variable && { variable }) })}\n`)
  else
    io.stdout.write(
      lines(status, kept, variable)
        .map((line) => `${cleanLine(line)}\n`)
        .join(''),
    )
  // The user wanted to sign out, but is still signed in.
  return variable === undefined ? exitCodes.done : exitCodes.failed
}

function lines(status: string, kept: readonly string[], variable: string | undefined): string[] {
  return [
    status === 'not-signed-in' ? 'You are not signed in to GitHub Copilot.' : '',
    status === 'signed-out' ? 'Signed out of GitHub Copilot.' : '',
    variable === undefined
      ? ''
      : `The token in ${variable} still signs you in. To sign out, unset the variable.`,
    kept.length === 0
      ? ''
      : `Editors on this machine can still use the sign-in for ${kept.join(' and ')}. To remove it, run "cadre logout --forget".`,
  ].filter((line) => line !== '')
}

/** Only the language server can remove its stored sign-in. */
function signOutError(env: Io['env'], configured: string | undefined): CadreError {
  const { account } = readCache(env)
  const whose = account?.kind === 'signed-in' ? ` of ${account.user}` : ''
  const wrong = serverConfigProblem({ env, configured })
  const why =
    wrong === undefined
      ? `The Copilot language server is not installed, so the sign-in${whose} could not be removed. Run "cadre login", then "cadre logout --forget"`
      : `${wrong} The sign-in${whose} could not be removed. Run "cadre logout --forget" again`
  return new CadreError(
    'configuration',
    `${why}, or delete ${signInFolder(env)}, which also signs editors out.`,
  )
}

async function signOutUser(
  io: Io,
  { forget = false, json = false }: LogoutFlags,
  configured: string | undefined,
): Promise<{ readonly kept: readonly KnownAccount[] } | 'cancelled'> {
  const person = createTerminalUser(io, json)
  const work = async (server: ServerProcess) => {
    const accounts = await listAccounts(server)
    if (!(await signOut(server)))
      throw new CadreError('backend', 'the Copilot language server did not sign out. Try again.')
    if (!forget) return { kept: accounts }
    const removed = await Promise.all(accounts.map((account) => forgetAccount(server, account)))
    return { kept: accounts.filter((_, index) => !removed[index]) }
  }
  try {
    const result = await withServer({ env: io.env, configured }, work, person.signal)
    if (result.kind === 'cancelled') return 'cancelled'
    if (result.kind !== 'done')
      throw new CadreError(
        'backend',
        result.kind === 'failed'
          ? result.message
          : 'the Copilot language server is no longer installed. Run "cadre login" again.',
      )
    cacheSignOut(io.env)
    return result.value
  } finally {
    person.leave()
  }
}
