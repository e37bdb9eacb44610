import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import type { PostHandler, PostRequest, Problem } from '@cadre/channels'
import { afterEach, describe, expect, it } from 'vitest'
import { type Http, type HttpOptions, startHttp } from './start-http.ts'

const open: Http[] = []
afterEach(async () => {
  for (const http of open.splice(0)) await http.close()
})

async function serve(handle: PostHandler, options: Partial<HttpOptions> = {}) {
  const found = new Map<string, readonly Omit<Problem, 'file'>[]>()
  const problems = {
    report: (about: string, file: string, list: readonly Omit<Problem, 'file'>[]) =>
      void found.set(`${about} ${file}`, list),
    list: () => [],
  }
  const http = await startHttp({ port: freePort, posts: new Map([['/a', handle]]), problems, ...options })
  open.push(http)
  return { http, found: () => [...found.values()].flat() }
}
// The system chooses.
const freePort = 0
const ok: PostHandler = async ({ body }) => ({ status: 200, body: { length: body.length } })

/** With any `Host` header, which `fetch` does not permit. */
function post(http: Http, headers: Record<string, string>, body = 'x', path = '/a', method = 'POST') {
  return new Promise<{ status: number; text: string; headers: Record<string, unknown> }>(
    (resolve, reject) => {
      const sent = httpRequest(`${http.address}${path}`, { method, headers }, (response) => {
        let text = ''
        response.on('data', (part) => (text += String(part)))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
        )
      })
      sent.on('error', reject)
      sent.end(body)
    },
  )
}

describe('the server for channels', () => {
  it('warns if its default port is in use, and names the other port', async () => {
    // A loopback address on which nothing else listens.
    const host = '127.0.0.97'
    const first = await serve(ok, { host, port: undefined })
    expect(first.http.address).toBe(`http://${host}:7373`)
    expect(first.found()).toEqual([])
    const second = await serve(ok, { host, port: undefined })
    const port = new URL(second.http.address).port
    expect(second.found()).toMatchObject([
      {
        severity: 'warning',
        message: expect.stringContaining(
          `Port 7373 is in use by another program, so Cadre listens on port ${port}`,
        ),
      },
    ])
  })

  it('listens on this machine, and passes bytes to the handler unchanged', async () => {
    const seen: PostRequest[] = []
    const { http, found } = await serve(async (request) => {
      seen.push(request)
      return { status: 202, body: 'taken' }
    })
    expect(http.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const bytes = Buffer.from([0, 255, 10, 128])
    const answer = await fetch(`${http.address}/a?x=1`, {
      method: 'POST',
      body: bytes,
      headers: { 'X-Own': 'é'.normalize() },
    })
    expect([answer.status, await answer.text()]).toEqual([202, 'taken'])
    expect(Buffer.from(seen[0]?.body ?? []).equals(bytes)).toBe(true)
    expect(found()).toEqual([])
  })

  it.each([
    ['another path', {}, '/b', 'POST', 404],
    ['another method', {}, '/a', 'GET', 405],
    ['a question before a call from a page', {}, '/a', 'OPTIONS', 405],
    ['a page of a browser', { origin: 'https://evil.example' }, '/a', 'POST', 403],
    ['a name of a stranger', { host: 'evil.example' }, '/a', 'POST', 403],
    ['a name that begins like ours', { host: 'localhost.evil.example' }, '/a', 'POST', 403],
    ['a name with a user before it', { host: 'localhost@evil.example' }, '/a', 'POST', 403],
    ['something packed', { 'content-encoding': 'gzip' }, '/a', 'POST', 415],
    ['our own name', { host: 'localhost:99' }, '/a', 'POST', 200],
    ['an address', { host: '[::1]:99' }, '/a', 'POST', 200],
    ['a name that was configured', { host: 'Hooks.Example.com' }, '/a', 'POST', 200],
  ])('answers %s', async (_, headers, path, method, status) => {
    const { http } = await serve(ok, { hosts: ['hooks.example.com'] })
    const answer = await post(http, headers, method === 'POST' ? 'x' : '', path, method)
    expect(answer.status).toBe(status)
    if (status >= 400) expect(JSON.parse(answer.text)).toEqual({ error: expect.any(String) })
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('rejects bodies that are too large, whatever their headers claim', async () => {
    let isCalled = false
    const { http } = await serve(
      async () => {
        isCalled = true
        return { status: 200 }
      },
      { maxBytes: 1_000 },
    )
    expect((await post(http, {}, 'x'.repeat(1_001))).status).toBe(413)
    expect((await post(http, { 'transfer-encoding': 'chunked' }, 'x'.repeat(5_000_000))).status).toBe(413)
    expect(isCalled).toBe(false)
    expect((await post(http, {}, 'x'.repeat(1_000))).status).toBe(200)
  })

  it('does not wait for slow senders', async () => {
    const { http } = await serve(ok, { timeoutMs: 200 })
    const port = Number(new URL(http.address).port)
    const slow = (text: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(text))
        let answer = ''
        socket.on('data', (part) => (answer += String(part)))
        socket.on('error', () => {})
        socket.on('close', () => resolve(answer.split('\r\n')[0] ?? ''))
      })
    const [body, head] = await Promise.all([
      slow('POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc'),
      slow('POST /a HTTP/1.1\r\nHost: loc'),
    ])
    expect([body, head]).toEqual(['HTTP/1.1 408 Request Timeout', 'HTTP/1.1 408 Request Timeout'])
    expect((await post(http, {})).status).toBe(200)
  })

  // Takes seconds.
  it.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL']).each([
    ['headers', 'POST /a HTTP/1.1\r\nHost: loc'],
    ['bodies', 'POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc'],
    ['nothing', ''],
  ])('serves others while 400 connections send slowly: %s', async (_, text) => {
    const { http } = await serve(ok)
    const port = Number(new URL(http.address).port)
    const opened = await Promise.all(
      Array.from({ length: 400 }, () => {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => {})
        return new Promise<typeof socket>((resolve) => {
          socket.once('connect', () => socket.write(text, () => resolve(socket)))
          socket.once('close', () => resolve(socket))
        })
      }),
    )
    try {
      // The slow senders have not reached their timeout of 10 seconds, so only the connection limit closes them.
      for (let i = 0; i < 50; i++) expect((await post(http, {})).status).toBe(200)
      const answers = await Promise.all(Array.from({ length: 100 }, () => post(http, {})))
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      expect(opened.some((socket) => !socket.destroyed)).toBe(true)
    } finally {
      for (const socket of opened) socket.destroy()
    }
  })

  it('limits the time of a handler, and does not reveal its errors', async () => {
    const { http, found } = await serve(
      async ({ body }) => {
        if (body.length > 1) throw new Error('the secret is 1234')
        return new Promise(() => {})
      },
      { timeoutMs: 100 },
    )
    expect((await post(http, {})).status).toBe(503)
    const failed = await post(http, {}, 'xx')
    expect(failed.status).toBe(500)
    expect(failed.text).not.toContain('1234')
    expect(found()).toMatchObject([{ severity: 'error' }])
  })

  it('warns if others can reach it, and explains what to do if it cannot listen', async () => {
    const { http, found } = await serve(ok, { host: '0.0.0.0' })
    expect(found()).toMatchObject([{ severity: 'warning', message: expect.stringContaining('daemon.host') }])
    const port = Number(new URL(http.address).port)
    await expect(startHttp({ port, posts: new Map() })).rejects.toMatchObject({
      code: 'configuration',
      message: `cannot start the server for channels: another program is already using port ${port} on 127.0.0.1. Change daemon.port or daemon.host in config.yaml.`,
    })
    const purpose = { name: 'the page', remedy: 'Choose another port with --port.' }
    await expect(startHttp({ port, posts: new Map(), purpose })).rejects.toMatchObject({
      message: `cannot start the server for the page: another program is already using port ${port} on 127.0.0.1. Choose another port with --port.`,
    })
    await expect(startHttp({ host: '203.0.113.1', port: 0, posts: new Map() })).rejects.toMatchObject({
      code: 'configuration',
    })
  })

  it('answers running requests before it closes', async () => {
    let go = () => {}
    const entered = new Promise<void>((resolve) => {
      go = resolve
    })
    let answerNow = () => {}
    const { http } = await serve(() => {
      go()
      return new Promise((resolve) => {
        answerNow = () => resolve({ status: 202 })
      })
    })
    const answer = post(http, {})
    await entered
    const closed = http.close()
    open.length = 0
    answerNow()
    expect((await answer).status).toBe(202)
    await closed
    await expect(post(http, {})).rejects.toThrow()
  })
})
