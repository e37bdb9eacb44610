import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryWorkspace, type Workspace } from '../files/workspace.spec-helpers.ts'
import { areAllAddressesPublic } from './guarded-request.ts'
import { htmlText } from './html-text.ts'
import { isPrivateAddress } from './private-address.ts'
import type { WebOptions } from './web-fetch.ts'

let server: Server
let base: string
let seen: { url: string; headers: Record<string, unknown> }[]
let answer: RequestListener
const open: Workspace[] = []

beforeEach(async () => {
  seen = []
  answer = (_, response) => response.end('plain')
  server = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
  for (const ws of open.splice(0)) ws[Symbol.dispose]()
})

function fetch(url: string, web: WebOptions = {}, signal?: AbortSignal) {
  const ws = temporaryWorkspace({ web: { allow: ['127.0.0.1'], ...web } })
  open.push(ws)
  return ws.call('web_fetch', { url }, signal)
}

describe('web_fetch', () => {
  it('returns the text of a page, and sends no personal data', async () => {
    answer = (_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.setHeader('set-cookie', 'a=b')
      response.end(
        '<html><head><title>A &amp; B</title><style>p{}</style></head><body><script>evil()</script><h1>Hello</h1><p>one<br>two</p><ul><li>x<li>y</ul></body></html>',
      )
    }
    const result = await fetch(`${base}/page`)
    expect(result.content).toBe(`${base}/page\nA & B\n\n# Hello\n\none\ntwo\n\n- x\n- y`)
    expect(Object.keys(seen[0]!.headers).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ])
  })

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('decompresses %s', async (coding, pack) => {
    answer = (_, response) =>
      response
        .writeHead(200, { 'content-encoding': coding, 'content-type': 'text/plain' })
        .end(pack(Buffer.from('packed')))
    expect((await fetch(base)).content).toContain('packed')
  })

  it.each([
    'http://127.0.0.1',
    'http://localhost',
    'http://[::1]',
    'http://0.0.0.0',
    'http://2130706433',
    'http://0x7f.1',
    'http://127.1',
    'http://[::ffff:127.0.0.1]',
    'http://169.254.169.254/latest/meta-data/',
  ])('%s is refused unless it is allowed', async (host) => {
    const { port } = new URL(base)
    const url = new URL(host)
    url.port = port
    const result = await fetch(url.href, { allow: [] })
    expect(result).toMatchObject({ failed: true, content: expect.stringMatching(/private network/) })
    expect(seen).toEqual([])
  })

  it('refuses a name that resolves to a private address, unless allowed by name and port', async () => {
    const { port } = new URL(base)
    expect(await fetch(`http://localhost:${port}/`, { allow: ['127.0.0.1', 'localhost:1'] })).toMatchObject({
      failed: true,
    })
    expect(seen).toEqual([])
    expect(await fetch(`http://localhost:${port}/`, { allow: [`localhost:${port}`] })).not.toHaveProperty(
      'failed',
    )
  })

  it('allows a host only in its exact spelling', async () => {
    const { port } = new URL(base)
    for (const host of ['localhost.', '[::ffff:127.0.0.1]']) {
      const allow = ['localhost', '127.0.0.1']
      expect(await fetch(`http://${host}:${port}/`, { allow }), host).toMatchObject({ failed: true })
    }
    expect(seen).toEqual([])
  })

  it('does not follow a redirect to a denied host', async () => {
    const { port } = new URL(base)
    for (const target of [
      `http://localhost:${port}/secret`,
      'http://169.254.169.254/',
      'file:///etc/passwd',
      'ftp://127.0.0.1/',
      `http://user:pw@127.0.0.1:${port}/secret`,
    ]) {
      seen = []
      answer = (_, response) => response.writeHead(302, { location: target }).end()
      expect(await fetch(`${base}/start`)).toMatchObject({ failed: true })
      expect(seen.map(({ url }) => url)).toEqual(['/start'])
    }
  })

  it('does not follow a redirect to another host, but reports it', async () => {
    const { port } = new URL(base)
    const web = { allow: ['127.0.0.1', 'localhost'] }
    for (const target of [
      `http://localhost:${port}/secret`,
      `//localhost:${port}/secret`,
      `http://127.0.0.1:1/secret`,
      `https://127.0.0.1:${port}/secret`,
    ]) {
      seen = []
      answer = (_, response) => response.writeHead(302, { location: target }).end()
      const result = await fetch(`${base}/start`, web)
      expect(result).toMatchObject({ failed: true })
      expect(result.content).toContain(
        `redirects to another host, which Cadre did not fetch: ${new URL(target, base).href}`,
      )
      expect(seen.map(({ url }) => url)).toEqual(['/start'])
    }
  })

  it('follows other redirects, up to a limit', async () => {
    answer = (request, response) =>
      request.url === '/end' ? response.end('there') : response.writeHead(301, { location: '/end' }).end()
    expect((await fetch(`${base}/start`)).content).toBe(`${base}/end\n\nthere`)
    answer = (_, response) => response.writeHead(302, { location: '/again' }).end()
    expect(await fetch(base)).toMatchObject({ failed: true, content: expect.stringContaining('redirects') })
  })

  it.each([
    'file:///etc/passwd',
    'ftp://example.com',
    'data:text/plain,x',
    'javascript:1',
    'gopher://x',
    'no address',
    'https://user:secret@example.com/',
    '//example.com',
  ])('%s is refused', async (url) => {
    expect(await fetch(url)).toMatchObject({ failed: true })
  })

  it('cuts a page that is too large, even if only after decompression', async () => {
    answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(2_000_000))
    const large = await fetch(base, { maxBytes: 1_000 })
    expect(large.content.length).toBeLessThan(1_200)
    expect(large.content).toContain('[the rest is omitted]')
    answer = (_, response) =>
      response
        .writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' })
        .end(gzipSync(Buffer.alloc(100_000_000, 'x')))
    expect((await fetch(base, { maxBytes: 10_000 })).content).toContain('[the rest is omitted]')
  })

  it.each(['before the answer', 'in the middle of it'])('gives up a server that hangs %s', async (when) => {
    answer = (_, response) => {
      if (when !== 'before the answer')
        response.writeHead(200, { 'content-type': 'text/plain' }).write('begin')
    }
    expect(await fetch(base, { timeoutMs: 200 })).toMatchObject({
      failed: true,
      content: expect.stringContaining('did not answer within'),
    })
    const stop = new AbortController()
    const answered = fetch(base, {}, stop.signal)
    while (seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    stop.abort()
    expect(await answered).toMatchObject({ failed: true, content: 'The request was cancelled.' })
  })

  it('reports what went wrong', async () => {
    answer = (_, response) => response.writeHead(404).end('secret error page')
    expect(await fetch(base)).toEqual({
      failed: true,
      content: `${base}/ returned status 404 Not Found.`,
    })
    answer = (request) => request.socket.destroy()
    expect(await fetch(base)).toMatchObject({
      failed: true,
      content: expect.stringContaining('Cannot fetch'),
    })
    answer = (_, response) => response.writeHead(200, { 'content-type': 'application/zip' }).end('PK')
    expect(await fetch(base)).toMatchObject({
      failed: true,
      content: expect.stringContaining('application/zip'),
    })
    answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip')
    expect(await fetch(base)).toMatchObject({ failed: true })
  })

  it('shows an image, and reads other charsets', async () => {
    answer = (_, response) => response.end(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
    expect((await fetch(base)).images).toHaveLength(1)
    answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' }).end(Buffer.from([0xe9]))
    expect((await fetch(base)).content).toContain('é')
  })

  it('uses one address of a list', async () => {
    const ws = temporaryWorkspace({ web: { allow: ['127.0.0.1'] } })
    open.push(ws)
    expect(await ws.call('fetch_webpage', { urls: [base], query: 'x' })).not.toHaveProperty('failed')
    expect(await ws.call('WebFetch', { url: base, prompt: 'x' })).not.toHaveProperty('failed')
    expect(await ws.call('fetch_webpage', { urls: [base, base], query: 'x' })).toMatchObject({ failed: true })
    expect(ws.tool('web_fetch').effect).toBe('outbound')
  })
})

describe('private addresses', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    '2001:db8::1',
    '2001::1',
    'not an address',
    '',
  ])('%s', (address) => {
    expect(isPrivateAddress(address)).toBe(true)
  })
  it.each([
    '1.1.1.1',
    '172.32.0.1',
    '192.169.0.1',
    '100.128.0.1',
    '2606:4700::1',
    '2a00:1450::1',
    '::ffff:1.1.1.1',
  ])('%s is public', (address) => {
    expect(isPrivateAddress(address)).toBe(false)
  })
})

it('refuses a name with one private address among its public ones', () => {
  expect(areAllAddressesPublic([{ address: '1.1.1.1' }, { address: '2606:4700::1' }])).toBe(true)
  expect(areAllAddressesPublic([{ address: '1.1.1.1' }, { address: '10.0.0.1' }])).toBe(false)
})

describe('html', () => {
  it.each([
    ['a < b', 'a < b'],
    ['<p>a<!-- <p>b -->c', 'ac'],
    ['<script>"</p>"</script>x', 'x'],
    ['<script>never closed', ''],
    ['<a title="a > b">x</a>', 'x'],
    ['&#x41;&#66;&nbsp;&unknown;&amp;lt;', 'AB &unknown;&lt;'],
    ['<div>a</div><div>b</div>', 'a\n\nb'],
    ['<!doctype html><p', ''],
    ['&#0;&#xFFFFFFFF;', '&#0;&#xFFFFFFFF;'],
  ])('%s', (html, text) => {
    expect(htmlText(html).text).toBe(text)
  })

  it('is not blocked by a broken page', () => {
    const start = Date.now()
    for (const part of ['<script', '<!--', '<a href="', '<', '<p ', '</', '<title>', '&#'])
      htmlText(part.repeat(200_000))
    expect(Date.now() - start).toBeLessThan(30_000)
  })
})
