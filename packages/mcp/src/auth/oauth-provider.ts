import type { Secrets } from '@cadre/home'
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
} from '@modelcontextprotocol/client'
import type { ServerAddress, ServerConfig } from '../config/server-config.ts'
import { readSignIn, type SignIn, writeSignIn } from './stored-sign-in.ts'

export interface ProviderOptions {
  readonly server: ServerConfig
  readonly reach: ServerAddress
  readonly secrets: Secrets
  /** Where the browser returns to. Absent in a run: then nobody can sign in, and only a stored sign-in is used. */
  readonly interactive?:
    | {
        readonly redirectUrl: string
        readonly state: string
        /** Shows the address to the person. */
        readonly show: (url: URL) => void
      }
    | undefined
}

/** Signs in to a server with OAuth. Tokens and the registration of this client are kept in the secret store, bound to the server. */
export async function createOAuthProvider(options: ProviderOptions): Promise<OAuthClientProvider> {
  const { server, reach, secrets, interactive } = options
  const { clientId, clientSecret, scopes } = reach.oauth ?? {}
  // A registration belongs to the redirect address of one sign-in, which has another port the next time.
  let kept: SignIn = interactive === undefined ? await readSignIn(server, secrets) : {}
  let verifier = ''
  let discovered: OAuthDiscoveryState | undefined
  const keep = async (more: SignIn) => {
    kept = { ...kept, ...more }
    // An earlier sign-in stays until the new one is complete.
    if (interactive === undefined || kept.tokens !== undefined) await writeSignIn(server, secrets, kept)
  }
  const redirectUrl = interactive?.redirectUrl ?? 'http://127.0.0.1/callback'
  const clientMetadata: OAuthClientMetadata = {
    client_name: 'Cadre',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
    ...(scopes && { scope: scopes.join(' ') }),
  }
  return {
    redirectUrl,
    clientMetadata,
    ...(interactive && { state: () => interactive.state }),
    clientInformation: () =>
      clientId === undefined
        ? kept.client
        : { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) },
    saveClientInformation: (client) => keep({ client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => keep({ tokens }),
    redirectToAuthorization(url) {
      if (interactive === undefined) throw new Error(signInHint(server))
      // The scopes of the configuration are asked for as well as those that the server names.
      const asked = url.searchParams.get('scope')?.split(' ') ?? []
      if (scopes) url.searchParams.set('scope', [...new Set([...asked, ...scopes])].join(' '))
      interactive.show(url)
    },
    saveCodeVerifier(value) {
      verifier = value
    },
    codeVerifier: () => verifier,
    // Binds the answer of the browser to the server that the person was sent to.
    saveDiscoveryState(state) {
      discovered = state
    },
    discoveryState: () => discovered,
    async invalidateCredentials(scope) {
      if (scope === 'all' || scope === 'tokens') await keep({ tokens: undefined })
      if (scope === 'all' || scope === 'client') await keep({ client: undefined })
    },
  }
}

export function signInHint({ name }: ServerConfig): string {
  return `it needs a sign-in. Run "cadre mcp login ${name}"`
}
