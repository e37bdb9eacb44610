import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '@cadre/core'
import { type WebSocket, WebSocketServer } from 'ws'

export type Fault =
  | { readonly status: number; readonly headers?: Record<string, string> }
  | { readonly error: string }
  /** The connection breaks, before or after the request was executed. */
  | 'broken before'
  | 'broken after'
  /** A list says that there is more, but not where it continues. */
  | 'without cursor'

export interface Posted {
  readonly channel: string
  readonly ts: string
  readonly text: string
  readonly thread_ts?: string
  readonly metadata?: JsonObject
  readonly blocks?: JsonObject[]
}

export interface SlackDouble extends AsyncDisposable {
  readonly baseUrl: string
  /** Every call of a method, with its fields. */
  readonly calls: { readonly method: string; readonly fields: Record<string, string> }[]
  /** The messages in the channels. */
  readonly messages: Posted[]
  readonly acked: string[]
  /** Messages to a single person. */
  readonly responses: JsonObject[]
  /** Sets faults for the next calls of a method, in order. */
  fail(method: string, ...faults: Fault[]): void
  /** Sends an envelope to the newest connection. */
  send(envelope: JsonObject): void
  sendRaw(text: string): void
  /** The number of open connections. */
  connections(): number
  /** Drops all connections without a close message. */
  drop(): void
  /** Stops answering pings. */
  freeze(): void
  /** Called before an acknowledgement is counted. */
  onAck?: (id: string) => void
}

export const botToken = 'xoxb-1111111111-abcdefghijkl'
export const appToken = 'xapp-1-A1-2222222222-abcdef'
export const botUser = 'UBOT'
export const botId = 'BBOT'

/** A test double of Slack: real HTTP, real WebSockets, and faults on demand. */
export async function startSlack(): Promise<SlackDouble> {
  const faults = new Map<string, Fault[]>()
  const calls: SlackDouble['calls'] = []
  const messages: Posted[] = []
  const acked: string[] = []
  const responses: JsonObject[] = []
  let time = Math.floor(Date.now() / 1_000)
  let sockets: WebSocket[] = []
  let isFrozen = false

  const server = createServer((request, response) => void answer(request, response))
  const wss = new WebSocketServer({ server, autoPong: false })
  wss.on('connection', (socket) => {
    sockets.push(socket)
    socket.on('close', () => {
      sockets = sockets.filter((one) => one !== socket)
    })
    socket.on('ping', (data) => {
      if (!isFrozen) socket.pong(data)
    })
    socket.on('message', (data) => {
      const { envelope_id: id } = JSON.parse(String(data)) as { envelope_id: string }
      double.onAck?.(id)
      acked.push(id)
    })
    socket.send(JSON.stringify({ type: 'hello', num_connections: 1 }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`

  const double: SlackDouble = {
    baseUrl: `http://${host}/api/`,
    calls,
    messages,
    acked,
    responses,
    fail: (method, ...next) => faults.set(method, [...(faults.get(method) ?? []), ...next]),
    send(envelope) {
      sockets.at(-1)?.send(JSON.stringify(envelope))
    },
    sendRaw(text) {
      sockets.at(-1)?.send(text)
    },
    connections: () => sockets.length,
    drop() {
      for (const socket of sockets) socket.terminate()
    },
    freeze() {
      isFrozen = true
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate()
      wss.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return double

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString('utf8')
    if (request.url === '/respond') {
      responses.push(JSON.parse(body) as JsonObject)
      return void response.end('ok')
    }
    const method = (request.url ?? '').replace('/api/', '')
    const fields = Object.fromEntries(new URLSearchParams(body))
    calls.push({ method, fields })
    const fault = faults.get(method)?.shift()
    if (fault === 'broken before') return void request.socket.destroy()
    if (typeof fault === 'object' && 'status' in fault) {
      response.writeHead(fault.status, fault.headers)
      return void response.end('trouble')
    }
    response.setHeader('content-type', 'application/json')
    if (typeof fault === 'object') return void response.end(JSON.stringify({ ok: false, error: fault.error }))
    const needed = method === 'apps.connections.open' ? appToken : botToken
    const isKnown = request.headers.authorization === `Bearer ${needed}`
    const result = isKnown ? perform(method, fields) : { ok: false, error: 'invalid_auth' }
    if (fault === 'broken after') return void request.socket.destroy()
    const cut = fault === 'without cursor' && { has_more: true, response_metadata: {} }
    response.end(JSON.stringify({ ...result, ...cut }))
  }

  function perform(method: string, fields: Record<string, string>): JsonObject {
    switch (method) {
      case 'auth.test':
        return { ok: true, user_id: botUser, bot_id: botId }
      case 'apps.connections.open':
        return { ok: true, url: `ws://${host}/socket?ticket=secret-ticket` }
      case 'chat.postMessage': {
        const { channel = '', text = '', thread_ts, metadata, blocks } = fields
        if (channel === 'CNONE') return { ok: false, error: 'channel_not_found' }
        const ts = `${time++}.000100`
        messages.push({
          channel,
          ts,
          text,
          ...(thread_ts !== undefined && { thread_ts }),
          ...(metadata !== undefined && { metadata: JSON.parse(metadata) as JsonObject }),
          ...(blocks !== undefined && { blocks: JSON.parse(blocks) as JsonObject[] }),
        })
        return { ok: true, channel, ts }
      }
      case 'chat.update': {
        const { ts, text = '', blocks = '[]' } = fields
        const at = messages.findIndex((one) => one.ts === ts)
        const before = messages[at]
        if (before === undefined) return { ok: false, error: 'message_not_found' }
        messages[at] = { ...before, text, blocks: JSON.parse(blocks) as JsonObject[] }
        return { ok: true, ts: before.ts }
      }
      case 'conversations.history':
      case 'conversations.replies': {
        const { channel, ts, oldest = '0', cursor = '0' } = fields
        const found = messages
          .filter((one) => one.channel === channel && Number(one.ts) >= Number(oldest))
          .filter((one) =>
            method === 'conversations.history' ? one.thread_ts === undefined : one.thread_ts === ts,
          )
          .reverse()
        const next = Number(cursor) + 2
        return {
          ok: true,
          messages: found.slice(Number(cursor), next).map((one) => ({ ...one })),
          has_more: next < found.length,
          response_metadata: { next_cursor: next < found.length ? String(next) : '' },
        }
      }
      default:
        return { ok: false, error: 'unknown_method' }
    }
  }
}

/** The settings for connecting to it. */
export function slackSettings(double: SlackDouble, more: JsonObject = {}): JsonObject {
  return {
    mode: 'socket',
    base_url: double.baseUrl,
    bot_token_env: 'BOT',
    app_token_env: 'APP',
    signing_secret_env: 'SIGNING',
    ...more,
  }
}

export const slackEnvironment = { BOT: botToken, APP: appToken, SIGNING: 'signing-secret' }

export function messageEvent(ts: string, more: JsonObject = {}): JsonObject {
  return {
    type: 'event_callback',
    event_id: `Ev${ts}`,
    event: { type: 'message', channel: 'C1', user: 'U1', text: `message ${ts}`, ts, ...more },
  }
}
