import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Secrets } from '@cadre/home'
import type { ServerAddress, ServerConfig } from '../config/server-config.ts'
import { guardedFetch, isLoopback } from '../connect/guarded-fetch.ts'
import { createOAuthProvider } from './oauth-provider.ts'

export interface SignInOptions {
  readonly server: ServerConfig
  /** Without references to variables. */
  readonly reach: ServerAddress
  readonly secrets: Secrets
  /** Shows the address that the person opens in a browser. Cadre never opens it. */
  readonly show: (url: URL) => void
}

const path = '/callback'

/**
 * Signs in to a server with OAuth: shows an address, and waits on this machine for the browser to return. Resolves with `not_needed` if
 * the server does not require a sign-in. Rejects with a sentence if it fails; an earlier sign-in is then kept.
 */
export async function signIn(
  options: SignInOptions,
  signal: AbortSignal,
): Promise<'signed_in' | 'not_needed'> {
  const { server, reach, secrets, show } = options
  const url = new URL(reach.url)
  if (url.protocol !== 'https:' && !isLoopback(url))
    throw new Error('Cadre signs in only over https, so that nobody else can read the token')
  const state = randomBytes(32).toString('base64url')
  const listener = await listen()
  try {
    const answered = callback(listener, state, signal)
    answered.catch(() => {})
    const redirectUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}${path}`
    const provider = await createOAuthProvider({
      server,
      reach,
      secrets,
      interactive: { redirectUrl, state, show },
    })
    const { Client, StreamableHTTPClientTransport, UnauthorizedError } = await import(
      '@modelcontextprotocol/client'
    )
    const fetch = guardedFetch({ url, headers: reach.headers })
    const transport = new StreamableHTTPClientTransport(url, { fetch, authProvider: provider })
    const client = new Client({ name: 'cadre', version: '0.1.0' }, { versionNegotiation: { mode: 'auto' } })
    try {
      await client.connect(transport, { signal })
      return (await provider.tokens()) === undefined ? 'not_needed' : 'signed_in'
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error
    } finally {
      await client.close().catch(() => {})
    }
    await transport.finishAuth(await answered)
    return 'signed_in'
  } finally {
    listener.close()
    listener.closeAllConnections()
  }
}

/** Loopback only: other machines must not answer. */
function listen(): Promise<Server> {
  const listener = createServer()
  return new Promise((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(0, '127.0.0.1', () => resolve(listener))
  })
}

/** Waits for the one request that has this sign-in's state. Ignores all other requests. */
function callback(listener: Server, state: string, signal: AbortSignal): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error('the sign-in was cancelled'))
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    listener.on('request', ({ url = '/', method }, response: ServerResponse) => {
      // Not `new URL`: it throws if a browser is sent to a broken address.
      const [pathname, query] = url.split('?', 2)
      if (method !== 'GET' || pathname !== path) return reply(response, 404, 'Not found.')
      const searchParams = new URLSearchParams(query)
      if (!isSame(searchParams.get('state') ?? '', state))
        return reply(response, 400, 'This is not the answer to the current sign-in.')
      signal.removeEventListener('abort', stop)
      const refused = searchParams.get('error')
      if (refused === null && searchParams.has('code')) {
        reply(response, 200, 'You are signed in. You can close this page and return to Cadre.')
        return resolve(searchParams)
      }
      reply(response, 200, 'The sign-in was refused. You can close this page and return to Cadre.')
      reject(
        new Error(
          `the sign-in was refused: ${(refused ?? 'no code').replace(/[^\w .-]/g, '').slice(0, 100)}`,
        ),
      )
    })
  })
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  })
  response.end(text)
}
