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
  /** The address that the browser returns to. Absent in a run, which can use only a stored sign-in. */
  readonly interactive?:
    | {
        readonly redirectUrl: string
        readonly state: string
        /** Shows the address to the person. */
        readonly show: (url: URL) => void
      }
    | undefined
}

/** Signs in to a server with OAuth. Tokens and this client's registration are in the secret store, bound to the server. */
export async function createOAuthProvider(options: ProviderOptions): Promise<OAuthClientProvider> {
  const { server, reach, secrets, interactive } = options
  const { clientId, clientSecret, scopes } = reach.oauth ?? {}
  // A registration is valid for one sign-in's redirect address. The next sign-in has a different port.
  let kept: SignIn = interactive === undefined ? await readSignIn(server, secrets) : {}
  let verifier = ''
  let discovered: OAuthDiscoveryState | undefined
  const keep = async (more: SignIn) => {
    kept = { ...kept, ...more }
    // An earlier sign-in is kept until the new one is complete.
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
      // Requests the scopes from the configuration in addition to those that the server names.
      const asked = url.searchParams.get('scope')?.split(' ') ?? []
      if (scopes) url.searchParams.set('scope', [...new Set([...asked, ...scopes])].join(' '))
      interactive.show(url)
    },
    saveCodeVerifier(value) {
      verifier = value
    },
    codeVerifier: () => verifier,
    // Binds the browser's answer to the server that the person was sent to.
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
  return `the server needs a sign-in. Run "cadre mcp login ${name}"`
}
