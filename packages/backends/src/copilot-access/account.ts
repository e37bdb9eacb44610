import type { ServerProcess } from '../copilot-ls/server-process.ts'
import { readStatus, readUserInfo } from '../copilot-ls/wire-readers.ts'
import { hideTokens } from '../hide-tokens.ts'

export type Account =
  | { readonly kind: 'signed-in'; readonly user: string }
  | { readonly kind: 'signed-out' }
  /** GitHub does not let the account use Copilot. */
  | { readonly kind: 'no-access'; readonly user: string }
  /** A sign-in is stored, but GitHub has not confirmed it. */
  | { readonly kind: 'unconfirmed'; readonly user: string }
  /** It could not be determined; `message` is a full sentence. */
  | { readonly kind: 'unknown'; readonly message: string }

export interface StatusAnswer {
  readonly status?: string
  readonly user?: string
}

/** The signed-in account, confirmed by GitHub. */
export async function readAccount(server: ServerProcess): Promise<Account> {
  const answer = await server.request('checkStatus', {}, readStatus)
  if (answer.kind !== 'answer') return { kind: 'unknown', message: noStatus(answer.message) }
  const account = accountOf(answer.value)
  return account.kind === 'signed-in'
    ? { kind: 'signed-in', user: await userName(server, account.user) }
    : account
}

/** The signed-in account, according to files on this machine. */
export async function readStoredAccount(server: ServerProcess): Promise<Account> {
  const options = { localChecksOnly: true }
  const answer = await server.request('checkStatus', { options }, readStatus)
  if (answer.kind !== 'answer') return { kind: 'unknown', message: noStatus(answer.message) }
  return accountOf(answer.value)
}

export function accountOf({ status, user = 'an unknown user' }: StatusAnswer): Account {
  if (status === 'OK') return { kind: 'signed-in', user }
  if (status === 'MaybeOK') return { kind: 'unconfirmed', user }
  if (status === 'NotAuthorized') return { kind: 'no-access', user }
  return { kind: 'signed-out' }
}

export interface Subscription {
  readonly user?: string
  readonly plan?: string
  readonly chat?: boolean
}

/** The features of the account; empty if unknown. */
export async function readSubscription(server: ServerProcess): Promise<Subscription> {
  const answer = await server.request('getUserInfo', {}, readUserInfo)
  return answer.kind === 'answer' ? answer.value : {}
}

/** With a token from the environment, the server invents a name such as `<GITHUB_COPILOT_TOKEN-user>`. */
async function userName(server: ServerProcess, user: string): Promise<string> {
  return user.startsWith('<') ? ((await readSubscription(server)).user ?? user) : user
}

function noStatus(reason: string): string {
  const why = hideTokens(reason).replace(/^Request \S+ failed with message: /, '')
  return `the Copilot language server could not check the sign-in: ${why}${/[.!?]$/.test(why) ? '' : '.'}`
}
