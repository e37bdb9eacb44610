import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { ApiError } from './api-error.ts'
import { createClient } from './create-client.ts'
import { followEvents } from './follow-events.ts'
import type { StreamPart } from './stream-event.ts'

let close = async () => {}
afterEach(() => close())

async function serve(answer: (request: IncomingMessage, response: ServerResponse, body: string) => void) {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => answer(request, response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('sends parameters, credentials and the body as the operation needs them', async () => {
  const seen: unknown[] = []
  const address = await serve(({ method, url, headers }, response, body) => {
    seen.push([method, url, headers['authorization'], headers['x-cadre-key'], headers['if-match'], body])
    response.end('{"removed":3}')
  })
  const client = createClient({ address, token: 'T', key: () => 'K' })
  const answer = await client.rewindSession({
    params: { id: 'a/b c' },
    query: { dryRun: true },
    body: { seq: 4 },
    ifMatch: 'E',
  })
  expect(answer.removed).toBe(3)
  expect(seen).toEqual([
    ['POST', '/api/sessions/a%2Fb%20c/rewind?dryRun=true', 'Bearer T', 'K', '"E"', '{"seq":4}'],
  ])
})

it('rejects with the problem that the server names', async () => {
  const address = await serve((_, response) => {
    response.writeHead(412, { 'content-type': 'application/problem+json', etag: '"now"' })
    response.end(
      '{"type":"about:blank","title":"Changed.","detail":"Read it again.","status":412,"code":"owned"}',
    )
  })
  const error = await createClient({ address })
    .me()
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ message: 'Changed. Read it again.', status: 412, code: 'owned', etag: 'now' })
})

it('follows no redirect, which could send its credentials to another server', async () => {
  const seen: unknown[] = []
  const address = await serve(({ url }, response) => {
    seen.push(url)
    if (url === '/elsewhere') response.end('{}')
    else response.writeHead(307, { location: '/elsewhere' }).end()
  })
  await expect(createClient({ address, token: 'T', key: 'K' }).me()).rejects.toThrow()
  expect(seen).toEqual(['/api/me'])
})

it('does not show the error page of a proxy', async () => {
  const address = await serve((_, response) => response.writeHead(502).end('<h1>secret</h1>'))
  await expect(createClient({ address }).me()).rejects.toThrow('The server returned status 502.')
})

it('rejects path parameters that a browser would resolve', async () => {
  await expect(createClient({ address: '' }).getSession({ params: { id: '..' } })).rejects.toThrow('".."')
})

it('continues the stream after the last event, also if it breaks off within one', async () => {
  const asked: (string | undefined)[] = []
  const address = await serve(({ url = '' }, response) => {
    asked.push(new URL(url, 'http://here').searchParams.get('after') ?? undefined)
    if (asked.length === 1) {
      response.write('id: l.1\ndata: {"type":"status"}\n\ndata: {"type":"tasks.changed"}\n\nid: l.2\nda')
      setImmediate(() => response.destroy())
    } else if (asked.length === 2) response.end('event: reset\nid: m.7\n\n')
    else response.end(': beat\n\nevent: parked\n\n')
  })
  const client = createClient({ address })
  const kinds: string[] = []
  for await (const part of client.events({ index: true })) kinds.push(part.kind)
  expect(asked).toEqual([undefined, 'l.1', 'm.7'])
  expect(kinds.filter((kind) => kind !== 'event')).toEqual([
    'open',
    'lost',
    'open',
    'reset',
    'lost',
    'open',
    'parked',
  ])
  expect(kinds.filter((kind) => kind === 'event')).toHaveLength(2)
})

it('ends with an error if the server rejects the reader', async () => {
  const address = await serve((_, response) => response.writeHead(401).end())
  const all = async () => {
    for await (const part of createClient({ address }).events()) expect(part.kind).not.toBe('event')
  }
  await expect(all()).rejects.toMatchObject({ status: 401 })
})

it('closes a silent connection and reconnects', async () => {
  let count = 0
  const address = await serve((_, response) => {
    response.writeHead(200).flushHeaders()
    if (++count === 2) response.end('event: parked\n\n')
  })
  const parts: StreamPart['kind'][] = []
  const open = (_: string | undefined, signal: AbortSignal) => fetch(address, { signal })
  for await (const { kind } of followEvents({
    open,
    after: undefined,
    signal: undefined,
    silenceMs: 100,
    pauseMs: () => 0,
  }))
    parts.push(kind)
  expect(parts.at(-1)).toBe('parked')
  expect(parts).toContain('lost')
})
