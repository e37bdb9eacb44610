/**
 * The HTTP server for channels that receive requests, and for the page and its API. Channels have a few paths and accept only POST with raw
 * bytes; every other path belongs to the site, which has its own checks.
 *
 * 1. It listens only on this machine, unless the configuration names another address.
 * 2. It rejects requests that are too large, too slow, from a browser, or for another host name.
 * 3. Slow senders do not block others, no matter how many there are.
 * 4. A handler's errors are reported locally, and answered without details.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isLoopback, type PostAnswer, type PostHandler, type Problems } from '@cadre/channels'
import { CadreError, type JsonObject, messageOf, sentenceOf } from '@cadre/core'
import { createConnectionSlots } from '@cadre/disk'
import { hasUnreadBody, readBody } from './read-body.ts'
import type { Site } from './site.ts'
import { withTimeout } from './with-timeout.ts'

export interface HttpOptions {
  /** The server's purpose, and where a person can change its address, for error messages. Default: channels, in the configuration. */
  readonly purpose?: HttpPurpose | undefined
  /** The address to listen on. Default: only this machine. */
  readonly host?: string | undefined
  /** Default: 7373, or a free port if that is in use. */
  readonly port?: number | undefined
  /** The channels' current handlers, by path. */
  readonly posts: { get(path: string): PostHandler | undefined }
  /** The current site. Absent until someone opens the page. */
  readonly site?: () => Site | undefined
  /** Additional host names, for example of a tunnel or proxy. */
  readonly hosts?: readonly string[] | undefined
  readonly problems?: Problems
  /** The largest body, in bytes. */
  readonly maxBytes?: number
  /** The timeout for receiving a request, and then for its handler, in milliseconds. */
  readonly timeoutMs?: number
}

export interface HttpPurpose {
  /** Such as `the page`. */
  readonly name: string
  /** What to do if the address cannot be used, as a sentence. */
  readonly remedy: string
}

export interface Http {
  /** Its address, such as `http://127.0.0.1:7373`. */
  readonly address: string
  readonly port: number
  /** Stops accepting requests, and resolves when the running ones are answered. */
  close(): Promise<void>
}

const defaultPort = 7373
const about = 'http'
const place = '[http]'
const megabyte = 1 << 20
const closeDelayMs = 1_000
const maxConnections = 200

/** Rejects with a `CadreError` that explains what to change. */
export async function startHttp(options: HttpOptions): Promise<Http> {
  const { host = '127.0.0.1', port, hosts = [], posts, maxBytes = megabyte, timeoutMs = 30_000 } = options
  const report = (part: string, problems: Parameters<Problems['report']>[2]) =>
    options.problems?.report(`${about}-${part}`, place, problems)
  // Node's own limit would reject the newest connections, but they are not the slow ones.
  const slots = createConnectionSlots(maxConnections)
  let server: Server
  let isReplaced = false
  let isClosing = false
  try {
    server = await listen(port ?? defaultPort)
  } catch (error) {
    if (port !== undefined || !isTaken(error)) throw unusable(error)
    isReplaced = true
    server = await listen(0).catch((other) => Promise.reject(unusable(other)))
  }
  const bound = server.address() as AddressInfo
  const otherPort = `Port ${defaultPort} is in use by another program, so Cadre listens on port ${bound.port} until it restarts. Set daemon.port in config.yaml to a free port, and point your senders to it.`
  report('place', [
    ...(isLoopback(host) ? [] : [{ severity: 'warning' as const, message: publicHostWarning }]),
    ...(isReplaced ? [{ severity: 'warning' as const, message: otherPort }] : []),
  ])
  const shown = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address
  return {
    address: `http://${shown}:${bound.port}`,
    port: bound.port,
    close: () =>
      new Promise<void>((resolve) => {
        isClosing = true
        options.site?.()?.close()
        server.close(() => resolve())
        server.closeIdleConnections()
        // Browsers open connections in advance. Node does not count them as idle.
        slots.closeWaiting('unused')
        setTimeout(() => slots.closeWaiting('all'), closeDelayMs).unref()
        setTimeout(() => server.closeAllConnections(), timeoutMs).unref()
      }),
  }

  function listen(wanted: number): Promise<Server> {
    const made = createServer({
      requestTimeout: timeoutMs,
      headersTimeout: Math.min(timeoutMs, 10_000),
      keepAliveTimeout: 5_000,
      connectionsCheckingInterval: Math.min(1_000, timeoutMs),
    })
    made.maxRequestsPerSocket = 1_000
    made.on('connection', (socket) => slots.add(socket))
    made.on('request', (request, response) => void answer(request, response))
    return new Promise((resolve, reject) => {
      made.once('error', reject)
      made.listen(wanted, host, () => {
        made.off('error', reject)
        made.on('error', (error) => report('place', [{ severity: 'error', message: messageOf(error) }]))
        resolve(made)
      })
    })
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The client may disconnect during the answer.
    response.on('error', () => {})
    const site = posts.get(pathOf(request)) === undefined ? options.site?.() : undefined
    if (site !== undefined) {
      response.once('close', () => slots.finish(request.socket))
      if (isClosing) response.setHeader('connection', 'close')
      await site.answer(request, response, () => slots.begin(request.socket))
      finishReading(request)
      return
    }
    let result: PostAnswer
    try {
      result = await judge(request)
      if (result.status < 400) report('request', [])
    } catch (error) {
      report('request', [{ severity: 'error', message: `Cannot handle a request: ${sentenceOf(error)}` }])
      result = errorAnswer(500, 'Internal error.')
    }
    if (response.destroyed) return
    const text = typeof result.body === 'object' ? JSON.stringify(result.body) : (result.body ?? '')
    response.writeHead(result.status, {
      'content-type': typeof result.body === 'object' ? 'application/json' : 'text/plain; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...((isClosing || hasUnreadBody(request)) && { connection: 'close' }),
    })
    response.once('close', () => slots.finish(request.socket))
    response.end(text)
    finishReading(request)
  }

  async function judge(request: IncomingMessage): Promise<PostAnswer> {
    const { headers, method } = request
    if (!isAllowedHost(headers.host, [host, ...hosts]))
      return errorAnswer(403, 'Unknown host name. Add it to daemon.hosts in config.yaml.')
    if (headers.origin !== undefined) return errorAnswer(403, 'Requests from browsers are not allowed.')
    const handle = posts.get(pathOf(request))
    if (handle === undefined) return errorAnswer(404, 'Not found.')
    if (method !== 'POST') return errorAnswer(405, 'Only POST is allowed.')
    if ((headers['content-encoding'] ?? 'identity') !== 'identity')
      return errorAnswer(415, 'Send the request without a content-encoding.')
    const body = await readBody(request, maxBytes)
    if (body.kind === 'too_large')
      return errorAnswer(413, `The request is too large (at most ${maxBytes} bytes).`)
    if (body.kind === 'broken') return errorAnswer(400, 'The request is incomplete.')
    slots.begin(request.socket)
    const late = () => errorAnswer(503, 'The request timed out. Try again.')
    return withTimeout<PostAnswer>(handle({ headers: plain(headers), body: body.bytes }), timeoutMs, late)
  }

  function unusable(error: unknown): CadreError {
    const what = isTaken(error)
      ? `another program is already using port ${port ?? defaultPort} on ${host}.`
      : sentenceOf(error)
    const { name, remedy } = options.purpose ?? forChannels
    return new CadreError('configuration', `cannot start the server for ${name}: ${what} ${remedy}`, {
      cause: error,
    })
  }
}

const forChannels: HttpPurpose = {
  name: 'channels',
  remedy: 'Change daemon.port or daemon.host in config.yaml.',
}

const publicHostWarning =
  'Other machines can reach the channel server, because daemon.host is set. Remove daemon.host to listen on this machine only.'

function isTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
}

function errorAnswer(status: number, error: string): { status: number; body: JsonObject } {
  return { status, body: { error } }
}

function plain(headers: IncomingMessage['headers']): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  )
}

/**
 * Returns whether the `Host` header names this server. Prevents DNS rebinding, where a foreign page makes its own host name resolve
 * to this machine.
 */
function isAllowedHost(header: string | undefined, names: readonly string[]): boolean {
  const host = /^(\[[0-9a-fA-F:.]+\]|[^:]+)(?::\d{1,5})?$/.exec(header ?? '')?.[1]?.toLowerCase()
  if (host === undefined) return false
  // An IP address cannot be rebound.
  if (host.startsWith('[') || /^\d{1,3}(\.\d{1,3}){3}$/.test(host)) return true
  return host === 'localhost' || names.some((name) => name.toLowerCase() === host)
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? ''
}

/** If the connection were closed immediately, a client that is still sending would not read the answer. */
function finishReading(request: IncomingMessage): void {
  if (hasUnreadBody(request)) setTimeout(() => request.destroy(), closeDelayMs).unref()
  request.resume()
}
