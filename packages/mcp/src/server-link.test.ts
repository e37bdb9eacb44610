import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Secrets } from '@cadre/home'
import { expect, it, onTestFinished } from 'vitest'
import type { ApprovedTools } from './approved-tools/approved-tool-store.ts'
import { ServerLink } from './server-link.ts'

const noSecrets: Secrets = { read: async () => undefined, write: async () => '', remove: async () => {} }

/** A server of the revision 2025-11-25 that knows one session. */
async function startServer() {
  let session = 0
  const results: { readonly [method: string]: object } = {
    'tools/list': { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'Hello.' }] },
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    if (request.method !== 'POST') return response.writeHead(405).end()
    const { id, method } = JSON.parse(body) as { readonly id?: number; readonly method: string }
    const send = (status: number, message: object) => {
      response.writeHead(status, { 'content-type': 'application/json', 'mcp-session-id': `s${session}` })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...message }))
    }
    if (method === 'server/discover') return send(400, { error: { code: -32601, message: 'unknown' } })
    if (method === 'initialize') {
      const serverInfo = { name: 'forgetful', version: '1' }
      return send(200, { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } })
    }
    if (request.headers['mcp-session-id'] !== `s${session}`)
      return send(404, { error: { code: -32001, message: 'no such session' } })
    if (id === undefined) return response.writeHead(202).end()
    send(200, { result: results[method] })
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/mcp`, forget: () => session++ }
}

it('opens another session after a server at an address has forgotten it', async () => {
  const { url, forget } = await startServer()
  let stored: ApprovedTools | undefined
  const link = new ServerLink(
    {
      ...{ name: 'forgetful', scope: 'user', file: 'config.yaml', syntax: 'literal' },
      reach: { kind: 'address', url, headers: {} },
      ...{ tools: ['*'], effects: {}, inputs: {} },
    },
    {
      approvedTools: {
        of: () => stored,
        save: (_, saved) => {
          stored = saved
        },
        remove: () => {},
      },
      values: { env: {}, workspace: '/', userHome: '/' },
      secrets: noSecrets,
      tell: () => {},
    },
  )
  onTestFinished(() => link.close())
  const call = async () => {
    const connection = await link.connectionFor('greet')
    if (typeof connection === 'string') throw new Error(connection)
    const { signal } = new AbortController()
    return connection.call('greet', {}, { signal, idleLimit: 30_000, totalLimit: 30_000 })
  }
  await link.approveFirstList()
  expect(await call()).toMatchObject({ content: [{ text: 'Hello.' }] })
  forget()
  await expect(call()).rejects.toThrow('no such session')
  expect(await call()).toMatchObject({ content: [{ text: 'Hello.' }] })
})
