import { isObject, parseJson } from '@cadre/core'
import type { Secrets } from '@cadre/home'
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { identityOf } from '../approved-tools/approved-tool-store.ts'
import type { ServerConfig } from '../config/server-config.ts'

/** The data that Cadre stores for a sign-in. */
export interface SignIn {
  readonly client?: StoredOAuthClientInformation | undefined
  readonly tokens?: StoredOAuthTokens | undefined
}

/** The secret store account for a sign-in. A server with a different address has a different account. */
export function signInAccount(server: ServerConfig): string {
  return `mcp:${identityOf(server)}:oauth`
}

/** The secret store account for the value of `${input:ID}`. */
export function inputAccount(server: ServerConfig, id: string): string {
  return `mcp:${identityOf(server)}:input:${id}`
}

export async function readSignIn(server: ServerConfig, secrets: Secrets): Promise<SignIn> {
  const text = await secrets.read(signInAccount(server))
  const parsed = text === undefined ? undefined : parseJson(text)
  return parsed?.ok && isObject(parsed.value) ? (parsed.value as SignIn) : {}
}

export function writeSignIn(server: ServerConfig, secrets: Secrets, signIn: SignIn): Promise<string> {
  return secrets.write(signInAccount(server), JSON.stringify(signIn))
}
