import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { executeDelegatedRun, serveMcpHttp } from '../../packages/protocols/src/index.ts'
import { until } from '../cli/support/until.ts'
import { createWorld } from './support/host.ts'

const token = 'a-secret-token'

async function serve(more: { readonly idleMs?: number } = {}) {
  const world = createWorld({ assistant: [{ reply: 'Over HTTP.' }] })
  const runs: Promise<unknown>[] = []
  const { environment } = world
  const server = await serveMcpHttp({
    environment,
    workspace: world.at('project'),
    version: '0.0.0',
    launch: ({ id }) =>
      void runs.push(executeDelegatedRun({ environment, id }, new AbortController().signal)),
    port: 0,
    token,
    ...more,
  })
  onTestFinished(async () => {
    await server.close()
    await Promise.all(runs)
  })
  return server.url
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
})

/** `fetch` cannot set every header. */
function post(url: string, headers: Record<string, string>, body = initialize): Promise<number> {
  return new Promise((resolve, reject) => {
    const common = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const sent = request(url, { method: 'POST', headers: { ...common, ...headers } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

test('answers only with the token, under its own name, to no web page', async () => {
  const url = await serve()
  const authorization = `Bearer ${token}`
  expect(await post(url, { authorization })).toBe(200)
  expect(await post(url, {})).toBe(401)
  expect(await post(url, { authorization: 'Bearer other' })).toBe(401)
  expect(await post(url, { authorization: token })).toBe(401)
  expect(await post(url, { authorization, host: 'evil.example' })).toBe(403)
  expect(await post(url, { authorization, origin: 'https://evil.example' })).toBe(403)
  expect(await post(url, { authorization, origin: 'null' })).toBe(403)
  expect(await post(url.replace('/mcp', '/other'), { authorization })).toBe(404)
  expect(await post(url.replace('/mcp', '//'), { authorization })).toBe(404)
  expect(await post(url, { authorization }, 'x'.repeat((4 << 20) + 1))).toBe(413)
  expect(await post(url, { authorization })).toBe(200)
})

test.each(['legacy', 'auto'] as const)('delegates work over HTTP (%s)', async (mode) => {
  const url = await serve()
  const client = new Client({ name: 'http-host', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  onTestFinished(() => client.close())
  const { content } = await client.callTool({
    name: 'delegate_work',
    arguments: { work: 'x', wait_seconds: 25 },
  })
  expect(JSON.stringify(content)).toContain('Over HTTP.')
})

const start = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n'
const unfinished: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['half a header', 'POST /mcp HTTP/1.1\r\nHost: loc'],
  ['a request without the token', `${start}\r\nabc`],
  ['half a request with the token', `${start}Authorization: Bearer ${token}\r\n\r\nabc`],
]

/** Connects and sends this. */
function open(url: string, text: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(text)
      resolve(socket)
    })
    socket.on('error', () => {})
    socket.resume()
    onTestFinished(() => void socket.destroy())
  })
}

test.each(unfinished)('answers while 200 connections send %s', async (_, text) => {
  const url = await serve()
  await Promise.all(Array.from({ length: 200 }, () => open(url, text)))
  for (let n = 0; n < 3; n++) expect(await post(url, { authorization: `Bearer ${token}` })).toBe(200)
})

test('answers while 200 connections send half a request with the token, and the server has read it', async () => {
  const url = await serve()
  const head = `${start}Authorization: Bearer ${token}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n`
  const sockets = await Promise.all(Array.from({ length: 200 }, () => open(url, `${head}\r\nabc`)))
  // The server asks for the rest after it has read the header.
  const isRead = (socket: Socket) => socket.bytesRead > 0 || socket.closed
  await until(() => sockets.every(isRead))
  for (let n = 0; n < 3; n++) expect(await post(url, { authorization: `Bearer ${token}` })).toBe(200)
})

test.each(unfinished)('closes a connection that sends %s and then waits', async (_, text) => {
  const url = await serve({ idleMs: 20 })
  const socket = await open(url, text)
  if (!socket.closed) await once(socket, 'close')
  expect(socket.closed).toBe(true)
})

test('limits subscriptions, so that other calls are answered', async () => {
  const url = await serve()
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const listen = async (id: number) => {
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'subscriptions/listen',
        params: { _meta, notifications: { toolsListChanged: true } },
      }),
      signal: stop.signal,
    })
    const { value } = (await response.body?.getReader().read()) ?? {}
    return Buffer.from(value ?? []).toString()
  }
  const answers = await Promise.all(Array.from({ length: 200 }, (_, id) => listen(id)))
  expect(answers.filter((text) => text.includes('acknowledged'))).toHaveLength(16)
  expect(answers.filter((text) => text.includes('Subscription limit reached'))).toHaveLength(184)
  expect(await post(url, { authorization: `Bearer ${token}` })).toBe(200)
})
