import { hostOf } from '@cadre/core'
import type { FetchLike } from '@modelcontextprotocol/client'

/** The most bytes of one message. */
const maxMessageBytes = 4 << 20

export interface GuardedFetchOptions {
  /** The address of the server. */
  readonly url: URL
  /** Headers from the configuration. They may contain a token, so only the server gets them. */
  readonly headers: { readonly [name: string]: string }
}

/**
 * Sends requests for one server. The server's answers contain further addresses for signing in, which must use https, unless the server itself
 * is on this machine. Does not follow redirects, and aborts an answer that is too large.
 */
export function guardedFetch({ url, headers }: GuardedFetchOptions): FetchLike {
  const isLocal = isLoopback(url)
  return async (target, init) => {
    const address = new URL(target)
    const isOwn = address.origin === url.origin
    if (!isOwn && address.protocol !== 'https:' && !(isLocal && isLoopback(address)))
      throw new Error(
        `the server names the address ${address.origin}, which is neither https nor on the same machine as the server`,
      )
    if (!isOwn && !isLocal && mayBeLoopback(address))
      throw new Error(`the server names the address ${address.origin}, which is on this machine`)
    const sent = new Headers(init?.headers)
    if (isOwn) for (const [name, value] of Object.entries(headers)) sent.set(name, value)
    const response = await fetch(address, { ...init, headers: sent, redirect: 'error' })
    return response.body === null ? response : limited(response, response.body)
  }
}

/** True for addresses that never leave this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

/** True for addresses that may reach this machine, in every spelling. */
export function mayBeLoopback({ href }: URL): boolean {
  const host = hostOf(href)
  return host === undefined || /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/.test(host)
}

/** In an event stream, the limit applies to each event. */
function limited(response: Response, body: ReadableStream<Uint8Array>): Response {
  const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
  let size = 0
  let endsLine = false
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const end = isStream ? lastEventEnd(chunk, endsLine) : -1
        size = end < 0 ? size + chunk.length : chunk.length - end
        endsLine = chunk.at(-1) === 10
        if (size > maxMessageBytes)
          controller.error(new Error(`the server sent a message of more than ${maxMessageBytes} bytes`))
        else controller.enqueue(chunk)
      },
    }),
  )
  const { status, statusText, headers } = response
  const made = new Response(counted, { status, statusText, headers })
  Object.defineProperty(made, 'url', { value: response.url })
  return made
}

/** The index after the last empty line, or -1. `endsLine`: the chunk before ended with a line break. */
function lastEventEnd(chunk: Uint8Array, endsLine: boolean): number {
  for (let at = chunk.length - 1; at >= 0; at--) {
    if (chunk[at] !== 10) continue
    const before = chunk[at - 1] === 13 ? at - 2 : at - 1
    if (before < 0 ? endsLine : chunk[before] === 10) return at + 1
  }
  return -1
}
