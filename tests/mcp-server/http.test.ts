import { request } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { runDelegation, serveMcpHttp } from '../../packages/protocols/src/index.ts'
import { createWorld } from './support/host.ts'

const token = 'a-secret-token'

async function serve() {
  const world = createWorld({ assistant: [{ reply: 'Over HTTP.' }] })
  const runs: Promise<unknown>[] = []
  const { environment } = world
  const server = await serveMcpHttp({
    environment,
    workspace: world.at('project'),
    version: '0.0.0',
    launch: ({ id }) => void runs.push(runDelegation({ environment, id }, new AbortController().signal)),
    port: 0,
    token,
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
