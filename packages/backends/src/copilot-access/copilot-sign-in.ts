import type { ServerProcess } from '../copilot-ls/server-process.ts'
import { readAccounts, readSignIn, readStatus } from '../copilot-ls/wire-readers.ts'
import { hideTokens } from '../hide-tokens.ts'
import { type Account, accountOf } from './account.ts'

/** The code that a person enters to sign in, and the address. */
export interface DeviceCode {
  readonly code: string
  readonly address: string
  /** Seconds until the code expires. */
  readonly expiresIn: number
}

export type SignInEnd =
  | Extract<Account, { kind: 'signed-in' | 'no-access' }>
  | { readonly kind: 'expired' }
  /** The user denied it on GitHub. */
  | { readonly kind: 'denied' }
  /** `message` is a full sentence. */
  | { readonly kind: 'failed'; readonly message: string }

/**
 * Signs in with a code that a person enters on GitHub. Waits until they do, or the code expires. The token stays in the
 * server, which requests and stores it.
 */
export async function signIn(server: ServerProcess, show: (code: DeviceCode) => void): Promise<SignInEnd> {
  const begun = await server.request('signIn', {}, readSignIn)
  if (begun.kind !== 'answer') return failed(begun.message)
  const { status, user = 'an unknown user', userCode, verificationUri, expiresIn = 900 } = begun.value
  if (status === 'AlreadySignedIn') return { kind: 'signed-in', user }
  if (userCode === undefined || verificationUri === undefined) return failed('GitHub did not provide a code.')
  show({ code: userCode, address: verificationUri, expiresIn })
  const confirmed = await server.request('signInConfirm', {}, readStatus)
  if (confirmed.kind === 'answer') {
    const account = accountOf(confirmed.value)
    if (account.kind === 'signed-in' || account.kind === 'no-access') return account
    return failed('GitHub rejected the new token.')
  }
  // The server passes on GitHub's messages, but not its error codes.
  if (/has expired|timed out polling/i.test(confirmed.message)) return { kind: 'expired' }
  if (/request was denied|access_denied/i.test(confirmed.message)) return { kind: 'denied' }
  return failed(confirmed.message)
}

function failed(reason: string): SignInEnd {
  return { kind: 'failed', message: `the sign-in failed: ${hideTokens(reason).replace(/^\w*Error: /, '')}` }
}

export interface KnownAccount {
  readonly id: number
  readonly user: string
  /** The host of the account, such as `github.com`. */
  readonly host: string
}

/** Accounts whose sign-in is stored on this machine, for Cadre or an editor. */
export async function listAccounts(server: ServerProcess): Promise<KnownAccount[]> {
  const answer = await server.request('auth/listAvailableTokens', {}, readAccounts)
  return answer.kind === 'answer' ? answer.value : []
}

/** Signs in with a stored sign-in. Undefined if GitHub no longer accepts it. */
export async function useAccount(
  server: ServerProcess,
  account: KnownAccount,
): Promise<SignInEnd | undefined> {
  const answer = await server.request('auth/useExistingToken', { tokenId: account.id }, readStatus)
  if (answer.kind !== 'answer') return undefined
  if (answer.value.status === 'ok') return { kind: 'signed-in', user: account.user }
  return answer.value.status === 'not_entitled' ? { kind: 'no-access', user: account.user } : undefined
}

/** Signs Cadre out. Sign-ins of editors stay until they are forgotten. Resolves with false if the server refuses. */
export async function signOut(server: ServerProcess): Promise<boolean> {
  return (await server.request('signOut')).kind === 'answer'
}

/** Removes a stored sign-in for all programs that use it. */
export async function forgetAccount(server: ServerProcess, { id }: KnownAccount): Promise<boolean> {
  return (await server.request('auth/removeToken', { tokenId: id })).kind === 'answer'
}
