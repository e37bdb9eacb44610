import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { guardedFetch, isLoopback, mayBeLoopback } from './guarded-fetch.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function listen(handle: RequestListener): Promise<URL> {
  const made = createServer(handle)
  servers.push(made)
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve))
  return new URL(`http://127.0.0.1:${(made.address() as AddressInfo).port}/mcp`)
}

describe('an address that a server names', () => {
  const remote = guardedFetch({ url: new URL('https://mcp.example/mcp'), headers: {} })
  it.each([
    'http://mcp2.example/x',
    'http://127.0.0.1:1/x',
    'https://127.0.0.1:1/x',
    'https://localhost/x',
    'https://[::1]/x',
    'https://localhost./x',
    'https://mcp.localhost/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://0.0.0.0/x',
    'https://[::]/x',
    'file:///etc/passwd',
    'data:text/plain,x',
  ])('%s is not fetched for a server on another machine', async (url) => {
    await expect(remote(url)).rejects.toThrow(/the server names the address/)
  })

  it('on this machine is fetched for a server on this machine', async () => {
    const url = await listen((_, response) => response.end('ok'))
    const local = guardedFetch({ url: new URL('http://localhost:1/mcp'), headers: {} })
    expect(await (await local(url)).text()).toBe('ok')
  })
})

it.each([
  ['http://127.0.0.1', true],
  ['http://127.9.9.9', true],
  ['http://localhost', true],
  ['http://[::1]', true],
  ['http://127.0.0.1.evil.example', false],
  ['http://localhost.evil.example', false],
  ['http://0x7f.1', true],
  ['http://10.0.0.1', false],
])('%s is on this machine: %s', (url, expected) => {
  expect(isLoopback(new URL(url))).toBe(expected)
  expect(mayBeLoopback(new URL(url))).toBe(expected)
})

it.each(['http://localhost.', 'http://a.localhost', 'http://0', 'http://[::ffff:7f00:1]', 'file:///x'])(
  '%s may be on this machine, in both directions',
  (url) => {
    expect(isLoopback(new URL(url))).toBe(false)
    expect(mayBeLoopback(new URL(url))).toBe(true)
  },
)

describe('an answer', () => {
  it('that redirects is rejected, so that headers are sent only to the server', async () => {
    let isReached = false
    const other = await listen((_, response) => {
      isReached = true
      response.end()
    })
    const url = await listen((_, response) => response.writeHead(302, { location: other.href }).end())
    await expect(guardedFetch({ url, headers: { Authorization: 'Bearer x' } })(url)).rejects.toThrow()
    expect(isReached).toBe(false)
  })

  it('of more than 4 MiB ends with an error', async () => {
    const url = await listen((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.alloc(5 << 20)),
    )
    const response = await guardedFetch({ url, headers: {} })(url)
    await expect(response.text()).rejects.toThrow('a message of more than 4194304 bytes')
  })

  it('of many events may be longer than the limit, but no single event', async () => {
    const event = `data: ${'x'.repeat(1 << 20)}\n\n`
    const url = await listen((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let i = 0; i < 6; i++) response.write(event)
      response.end()
    })
    const response = await guardedFetch({ url, headers: {} })(url)
    expect((await response.text()).length).toBe(6 * event.length)
    const endless = await listen((_, answer) =>
      answer.writeHead(200, { 'content-type': 'text/event-stream' }).end(Buffer.alloc(5 << 20, 'x')),
    )
    const long = await guardedFetch({ url: endless, headers: {} })(endless)
    await expect(long.text()).rejects.toThrow('a message of more than')
  })
})
