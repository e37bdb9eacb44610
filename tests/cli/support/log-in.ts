import { type Client, createClient } from '@cadre/api'
import { expect } from 'vitest'

/** What `cadre open --json` prints. */
export interface Opened {
  readonly url: string
  readonly address: string
  readonly daemon: boolean
  readonly roles: readonly string[]
}

/** Logs in as the page does, and returns a client with both halves of the credential. */
export async function logIn({ url, address }: Pick<Opened, 'url' | 'address'>): Promise<Client> {
  const { hash } = new URL(url)
  const body = JSON.stringify({ secret: hash.slice('#key='.length) })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${address}/api/login`, { method: 'POST', headers, body })
  expect(response.status).toBe(200)
  const cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const { key } = (await response.json()) as { key: string }
  return createClient({
    address,
    key,
    fetch: (target, init) => fetch(target, { ...init, headers: { ...(init?.headers as object), cookie } }),
  })
}
