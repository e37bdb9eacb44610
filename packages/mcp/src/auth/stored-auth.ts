import type { Secrets } from '@cadre/home'
import type { AuthProvider } from '@modelcontextprotocol/client'
import type { ServerAddress, ServerConfig } from '../config/server-config.ts'
import { isLoopback } from '../connect/guarded-fetch.ts'
import { createOAuthProvider, signInHint } from './oauth-provider.ts'

/**
 * Signs a run's requests with a stored sign-in, and refreshes it. Never starts a sign-in. Without a stored sign-in, requests have no
 * token, and the error from a server that requires one names the command to run. Undefined for an address without encryption.
 */
export function storedAuth(
  server: ServerConfig,
  reach: ServerAddress,
  secrets: Secrets,
): AuthProvider | undefined {
  const url = new URL(reach.url)
  const hasToken = Object.keys(reach.headers).some((name) => name.toLowerCase() === 'authorization')
  if (hasToken || (url.protocol !== 'https:' && !isLoopback(url))) return undefined
  let made: ReturnType<typeof createOAuthProvider> | undefined
  const provider = () => (made ??= createOAuthProvider({ server, reach, secrets }))
  return {
    async token() {
      return (await (await provider()).tokens())?.access_token
    },
    async onUnauthorized({ response, serverUrl, fetchFn }) {
      // Another process may have signed in or refreshed it since.
      const before = (await (await provider()).tokens())?.access_token
      made = undefined
      const tokens = await (await provider()).tokens()
      if (tokens?.access_token !== undefined && tokens.access_token !== before) return
      if (tokens?.refresh_token === undefined) throw new Error(signInHint(server))
      const { auth, extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
      const { resourceMetadataUrl } = extractWWWAuthenticateParams(response)
      const result = await auth(await provider(), {
        serverUrl,
        fetchFn,
        ...(resourceMetadataUrl && { resourceMetadataUrl }),
      })
      if (result !== 'AUTHORIZED') throw new Error(signInHint(server))
    },
  }
}
