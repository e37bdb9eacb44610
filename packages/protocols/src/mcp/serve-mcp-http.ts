import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CadreError, messageOf } from '@cadre/core'
import { createConnectionSlots } from '@cadre/disk'
import { createMcpServer } from './create-mcp-server.ts'
import { type McpHostOptions, openMcpHost } from './mcp-host.ts'

export interface HttpOptions extends McpHostOptions {
  /** 0 for any free port. */
  readonly port: number
  /** The bearer token that every request needs. */
  readonly token: string
  /** How long a connection may take to send a request, in milliseconds. Default: 10,000. */
  readonly idleMs?: number
}

export interface McpHttpServer {
  readonly url: string
  close(): Promise<void>
}

const path = '/mcp'
const maxBodyBytes = 4 << 20
/** More than calls and subscriptions together, which are limited: some connections can always be used for the next request. */
const maxConnections = 128
const maxSubscriptions = 16

/**
 * Serves MCP over streamable HTTP on the loopback interface. Checks `Host` and `Origin`, so that no web page can reach it under another
 * name, and the token, so that other users of this machine cannot use it.
 */
export async function serveMcpHttp(options: HttpOptions): Promise<McpHttpServer> {
  const [{ createMcpHandler }, { localhostHostValidation, localhostOriginValidation, toNodeHandler }] =
    await Promise.all([import('@modelcontextprotocol/server'), import('@modelcontextprotocol/node')])
  const host = openMcpHost(options)
  const warn = (error: Error) => options.environment.warn(error.message)
  const handler = createMcpHandler(() => createMcpServer(host), {
    onerror: warn,
    maxRequestBodySize: maxBodyBytes,
    maxSubscriptions,
  })
  const serve = toNodeHandler(handler, { onerror: warn, maxRequestBodySize: maxBodyBytes })
  const [isOwnHost, isOwnOrigin] = [localhostHostValidation(), localhostOriginValidation()]
  // Node's own limit would reject the newest connections, and connections that send nothing could use all of it.
  const slots = createConnectionSlots(maxConnections)
  const { idleMs = 10_000 } = options
  const limits = {
    headersTimeout: idleMs,
    requestTimeout: idleMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: Math.ceil(idleMs / 2),
  }
  const server = createServer(limits, (request, response) => {
    if (!isOwnHost(request, response) || !isOwnOrigin(request, response)) return
    if (!isAuthorized(request, options.token)) return deny(response, 401, 'A valid bearer token is required.')
    // Not `new URL`: it throws if a client sends a broken address.
    if (request.url?.split('?')[0] !== path)
      return deny(response, 404, `Nothing is served at this path. Send MCP requests to ${path}.`)
    const { socket } = request
    if (hasBody(request)) request.once('end', () => slots.begin(socket))
    else slots.begin(socket)
    response.once('close', () => slots.finish(socket))
    void serve(request as Parameters<typeof serve>[0], response)
  })
  server.on('connection', (socket) => slots.add(socket))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(options.port, error)))
    server.listen(options.port, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${path}`,
    async close() {
      await handler.close()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
      await host.close()
    },
  }
}

/** Until its body has arrived, a request does not keep its connection from being closed in favour of a new one. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Compares digests, so that the time of the comparison reveals neither the length nor the content of the token. */
function isAuthorized({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))
}

function deny(response: ServerResponse, status: number, message: string): void {
  const error = { jsonrpc: '2.0', id: null, error: { code: -32_000, message } }
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    connection: 'close',
  })
  response.end(JSON.stringify(error))
}

function cannotListen(port: number, error: unknown): CadreError {
  return new CadreError(
    'configuration',
    `cannot listen on port ${port} of 127.0.0.1: ${messageOf(error)}. Choose another port with --port.`,
    { cause: error },
  )
}
