/** An MCP server that needs a sign-in, and its authorization server, on two ports of this machine. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ProtectedServer {
  readonly url: string
  /** The authorization server that the metadata names. */
  readonly issuer: string
  /** Requests by path, with their headers. */
  readonly seen: {
    readonly path: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }[]
  /** The tokens that the server accepts. */
  readonly valid: Set<string>
  close(): Promise<void>
}

/** `names`: the authorization server that the metadata names, instead of the real one. */
export async function startProtectedServer(names?: string): Promise<ProtectedServer> {
  const seen: ProtectedServer['seen'] = []
  const valid = new Set<string>()
  let issued = 0
  const json = (response: ServerResponse, value: unknown, status = 200) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  const issuing = await listen(async (request, response, body) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer)
    seen.push({ path: `as ${pathname}`, headers: request.headers, body })
    if (pathname === '/.well-known/oauth-authorization-server')
      return json(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      })
    if (pathname === '/register')
      return json(response, { ...(JSON.parse(body) as object), client_id: 'client-1' }, 201)
    if (pathname === '/authorize') {
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      back.searchParams.set('state', searchParams.get('state') ?? '')
      back.searchParams.set('code', 'code-1')
      return void response.writeHead(302, { location: back.href }).end()
    }
    if (pathname === '/token') {
      const token = `token-${++issued}`
      valid.add(token)
      return json(response, {
        access_token: token,
        token_type: 'Bearer',
        refresh_token: 'refresh-1',
        expires_in: 3600,
      })
    }
    json(response, {}, 404)
  })
  const issuer = addressOf(issuing)
  const serving = await listen(async (request, response, body) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    seen.push({ path: `mcp ${pathname}`, headers: request.headers, body })
    const origin = addressOf(serving)
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      return json(response, { resource: `${origin}/mcp`, authorization_servers: [names ?? issuer] })
    if (pathname !== '/mcp') return json(response, {}, 404)
    if (!valid.has(request.headers.authorization?.replace(/^Bearer /, '') ?? '')) {
      response.setHeader(
        'www-authenticate',
        `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
      )
      return json(response, { error: 'unauthorized' }, 401)
    }
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = JSON.parse(body) as { id?: number; method: string }
    if (id === undefined) return void response.writeHead(202).end()
    const results: { [method: string]: object } = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'x', version: '1' },
      },
      'tools/list': { tools: [{ name: 'who', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'you' }] },
    }
    const result = results[method]
    json(response, {
      jsonrpc: '2.0',
      id,
      ...(result ? { result } : { error: { code: -32601, message: 'unknown' } }),
    })
  })
  return {
    url: `${addressOf(serving)}/mcp`,
    issuer,
    seen,
    valid,
    close: async () => void (await Promise.all([issuing, serving].map(end))),
  }
}

type Handle = (request: IncomingMessage, response: ServerResponse, body: string) => Promise<void>

function listen(handle: Handle): Promise<Server> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    await handle(request, response, body)
  }
  const server = createServer((request, response) => void answer(request, response))
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function end(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
