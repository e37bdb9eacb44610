import type { Secrets } from '@cadre/home'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ServerAddress, ServerConfig } from '../config/server-config.ts'
import { connectServer } from '../connect/connect-server.ts'
import { signIn } from './sign-in.ts'
import { type ProtectedServer, startProtectedServer } from './sign-in-server.spec-helpers.ts'
import { storedAuth } from './stored-auth.ts'
import { readSignIn } from './stored-sign-in.ts'

let server: ProtectedServer
let kept: Map<string, string>
const secrets: Secrets = {
  read: async (account) => kept.get(account),
  write: async (account, secret) => {
    kept.set(account, secret)
    return 'memory'
  },
  remove: async (account) => void kept.delete(account),
}
beforeEach(async () => {
  kept = new Map()
  server = await startProtectedServer()
})
afterEach(() => server.close())

const signal = new AbortController().signal
const reachOf = (url: string): ServerAddress => ({
  kind: 'address',
  url,
  headers: { 'X-Key': 'for the server only' },
})
const configOf = (url: string): ServerConfig => ({
  ...{ name: 'x', scope: 'user', file: 'c.yaml', syntax: 'cadre', reach: reachOf(url) },
  ...{ tools: ['*'], effects: {}, inputs: {} },
})
const start = (show: (url: URL) => void | Promise<void>, stop = signal, url = server.url) =>
  signIn({ server: configOf(url), reach: reachOf(url), secrets, show: (at) => void show(at) }, stop)

/** A person who agrees, in a browser. */
const agree = (url: URL) => void fetch(url).catch(() => {})

async function use(url = server.url): Promise<readonly string[]> {
  const auth = storedAuth(configOf(url), reachOf(url), secrets)
  const connection = await connectServer(reachOf(url), { env: {}, workspace: '/', auth })
  const tools = await connection.list()
  await connection.close()
  return tools.map(({ name }) => name)
}

describe('a sign-in', () => {
  it('stores the tokens, and a run uses and refreshes them', async () => {
    expect(await start(agree)).toBe('signed_in')
    expect((await readSignIn(configOf(server.url), secrets)).tokens).toMatchObject({
      access_token: 'token-1',
    })
    expect(await use()).toEqual(['who'])
    server.valid.delete('token-1')
    expect(await use()).toEqual(['who'])
    expect((await readSignIn(configOf(server.url), secrets)).tokens).toMatchObject({
      access_token: 'token-2',
    })
  })

  it('belongs to one server and is not sent to another address', async () => {
    await start(agree)
    expect(await readSignIn(configOf(`${server.url}2`), secrets)).toEqual({})
  })

  it('uses a proof key, a state and a redirect to this machine, and shows the address only', async () => {
    let shown: URL | undefined
    await start((url) => {
      shown = url
      agree(url)
    })
    const asked = shown?.searchParams
    expect(asked?.get('code_challenge_method')).toBe('S256')
    expect(asked?.get('state')?.length).toBeGreaterThan(40)
    expect(asked?.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  })

  it('sends headers from the configuration only to the server', async () => {
    await start(agree)
    const withKey = server.seen
      .filter(({ headers }) => headers['x-key'] !== undefined)
      .map(({ path }) => path)
    expect(withKey.length).toBeGreaterThan(0)
    expect(withKey.filter((path) => !path.startsWith('mcp '))).toEqual([])
  })

  it('ignores answers with another state, other paths and other methods', async () => {
    const answers: number[] = []
    const result = await start(async (url) => {
      const back = url.searchParams.get('redirect_uri') ?? ''
      const forged = [
        `${back}?code=evil&state=wrong`,
        `${back}?code=evil`,
        back.replace('/callback', '/other'),
        back.replace('/callback', '//'),
      ]
      for (const one of forged) answers.push((await fetch(one)).status)
      answers.push((await fetch(`${back}?state=${url.searchParams.get('state')}`, { method: 'POST' })).status)
      agree(url)
    })
    expect([result, answers]).toEqual(['signed_in', [400, 400, 404, 404, 404]])
    expect(server.seen.filter(({ path, body }) => path === 'as /token' && body.includes('evil'))).toEqual([])
  })

  it('that the person denies does not store anything', async () => {
    const refused = start((url) => {
      const back = new URL(url.searchParams.get('redirect_uri') ?? '')
      back.searchParams.set('state', url.searchParams.get('state') ?? '')
      back.searchParams.set('error', 'access_denied<script>')
      void fetch(back)
    })
    await expect(refused).rejects.toThrow('the sign-in was refused: access_deniedscript')
    expect(kept.size).toBe(0)
  })

  it('that is cancelled ends without storing anything', async () => {
    const stop = new AbortController()
    await expect(start(() => stop.abort(), stop.signal)).rejects.toThrow('cancelled')
    expect(kept.size).toBe(0)
  })

  it('that is cancelled keeps an earlier one', async () => {
    await start(agree)
    const before = new Map(kept)
    const stop = new AbortController()
    await expect(start(() => stop.abort(), stop.signal)).rejects.toThrow('cancelled')
    expect(kept).toEqual(before)
  })

  it('is not started for an address without encryption', async () => {
    await expect(start(agree, signal, 'http://example.invalid/mcp')).rejects.toThrow('only over https')
  })

  it.each([
    ['http://authorization.invalid', 'the server names the address'],
    ['ftp://127.0.0.1', 'fetch failed'],
  ])('does not follow metadata to %s', async (issuer, reason) => {
    const evil = await startProtectedServer(issuer)
    try {
      await expect(start(agree, signal, evil.url)).rejects.toThrow(reason)
      expect(kept.size).toBe(0)
    } finally {
      await evil.close()
    }
  })
})

describe('a run', () => {
  it('never starts a sign-in: the error names the command', async () => {
    await expect(use()).rejects.toThrow('the server needs a sign-in. Run "cadre mcp login x"')
    expect(server.seen.filter(({ path }) => path.startsWith('as '))).toEqual([])
  })

  it('with an expired sign-in reports that', async () => {
    await start(agree)
    const { client } = await readSignIn(configOf(server.url), secrets)
    for (const account of kept.keys())
      kept.set(account, JSON.stringify({ client, tokens: { access_token: 'old', token_type: 'Bearer' } }))
    await expect(use()).rejects.toThrow('cadre mcp login x')
  })
})
