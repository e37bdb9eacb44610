import {
  type Account,
  cacheSignIn,
  listAccounts,
  readAccount,
  readCache,
  readModels,
  type ServerProcess,
  type SignInEnd,
  signIn,
  tokenVariable,
  useAccount,
  withServer,
} from '@cadre/backends'
import { CadreError } from '@cadre/core'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { copilotServer } from './copilot-server.ts'
import { offerInstall } from './offer-install.ts'
import { createTerminalUser, type TerminalUser } from './terminal-user.ts'

export interface LoginFlags {
  readonly yes?: boolean
  readonly sdk?: boolean
  readonly home?: string
  readonly json?: boolean
}

/** How the user was signed in. */
type Source = 'code' | 'stored' | 'editor' | 'environment'

type Ending =
  | (Extract<SignInEnd, { kind: 'signed-in' | 'no-access' }> & { readonly source: Source })
  | Exclude<SignInEnd, { kind: 'signed-in' | 'no-access' }>
  | { readonly kind: 'cancelled' }

/** `cadre login`. */
export async function login(io: Io, flags: LoginFlags): Promise<ExitCode> {
  const person = createTerminalUser(io, flags.json === true)
  try {
    return finish(io, flags, await signInUser(io, flags, person))
  } finally {
    person.leave()
  }
}

async function signInUser(io: Io, flags: LoginFlags, person: TerminalUser): Promise<Ending> {
  const { env } = io
  const { json = false, yes = false, sdk = false } = flags
  const configured = await copilotServer(io, flags.home)
  const tell = (event: object) => {
    if (json) io.stdout.write(`${JSON.stringify(event)}\n`)
  }
  if ((await offerInstall(io, person, { sdk, yes, configured, tell })) === 'cancelled')
    return { kind: 'cancelled' }
  const work = async (server: ServerProcess) => {
    const ended = await signInWith(server, { io, person, yes, json })
    if (ended.kind === 'signed-in') cacheSignIn(env, ended.user, Date.now(), await readModels(server))
    return ended
  }
  const result = await withServer({ env, configured }, work, person.signal)
  if (result.kind === 'done') return result.value
  if (result.kind === 'cancelled') return result
  throw new CadreError(
    'backend',
    result.kind === 'failed'
      ? result.message
      : 'the Copilot language server is no longer installed. Run "cadre login" again.',
  )
}

interface SignInContext {
  readonly io: Io
  readonly person: TerminalUser
  readonly yes: boolean
  readonly json: boolean
}

async function signInWith(server: ServerProcess, context: SignInContext): Promise<Ending> {
  const { io, person, yes, json } = context
  const variable = tokenVariable(io.env)
  const before = readCache(io.env).account
  const isOwn = before?.kind === 'signed-in' && before.variable === undefined
  const account = await readAccount(server)
  if (account.kind === 'unknown') return { kind: 'failed', message: account.message }
  if (variable !== undefined) return withToken(variable, account)
  if (account.kind === 'signed-in' || account.kind === 'no-access')
    return { ...account, source: isOwn ? 'stored' : 'editor' } as Ending
  for (const known of await listAccounts(server)) {
    const question = `The account ${cleanLine(known.user)} on ${cleanLine(known.host)} is signed in on this machine. Use it? y/N: `
    if (!yes && (await person.confirm(question)) !== true) continue
    const used = await useAccount(server, known)
    if (used !== undefined) return { ...used, source: 'editor' } as Ending
    io.warn(`GitHub no longer accepts the stored sign-in for ${known.user}.`)
  }
  const ended = await signIn(server, ({ code, address, expiresIn }) => {
    if (json) io.stdout.write(`${JSON.stringify({ type: 'code', code, address, expiresIn })}\n`)
    else
      io.stdout.write(
        `Open ${cleanLine(address)} and enter the code ${cleanLine(code)}\nThe code expires in ${Math.round(expiresIn / 60)} minutes. Waiting for GitHub… Press Ctrl-C to cancel.\n`,
      )
  })
  return ended.kind === 'signed-in' || ended.kind === 'no-access' ? { ...ended, source: 'code' } : ended
}

function withToken(variable: string, account: Account): Ending {
  if (account.kind === 'signed-in' || account.kind === 'no-access')
    return { ...account, source: 'environment' } as Ending
  throw new CadreError(
    'configuration',
    `GitHub rejected the token in ${variable}. Replace it, or unset the variable and run "cadre login" again.`,
  )
}

function finish(io: Io, { json = false }: LoginFlags, ending: Ending): ExitCode {
  const code = exitCodeOf(ending)
  if (json) {
    const { kind, ...rest } = ending
    io.stdout.write(`${JSON.stringify({ type: 'login', status: kind, ...rest })}\n`)
    return code
  }
  const text = textOf(io, ending)
  if (code === exitCodes.done) io.stdout.write(`${cleanLine(text)}\n`)
  else io.stderr.write(`cadre: ${cleanLine(text)}\n`)
  return code
}

function exitCodeOf({ kind }: Ending): ExitCode {
  if (kind === 'signed-in') return exitCodes.done
  if (kind === 'cancelled') return exitCodes.cancelled
  return kind === 'failed' ? exitCodes.backend : exitCodes.failed
}

function textOf(io: Io, ending: Ending): string {
  const next = '"cadre models" lists the models.'
  switch (ending.kind) {
    case 'signed-in':
      return {
        code: `Signed in to GitHub Copilot as ${ending.user}. ${next}`,
        stored: `Already signed in to GitHub Copilot as ${ending.user}. ${next}`,
        editor: `Signed in to GitHub Copilot as ${ending.user}, using an editor's sign-in on this machine. ${next}`,
        environment: `Signed in to GitHub Copilot as ${ending.user}, using the token in ${tokenVariable(io.env)}. ${next}`,
      }[ending.source]
    case 'no-access':
      return `${ending.user} has no access to GitHub Copilot. Get access at https://github.com/settings/copilot. To use another account, run "cadre logout", then "cadre login".`
    case 'expired':
      return 'The code expired before it was entered. Run "cadre login" to get a new one.'
    case 'denied':
      return 'The sign-in was denied on GitHub. Run "cadre login" to try again.'
    case 'cancelled':
      return 'Cancelled. You are not signed in.'
    case 'failed':
      return ending.message
  }
}
