import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { Refusal } from '../refusal.ts'
import { type AllowedHosts, guardedRequest } from './guarded-request.ts'

export interface PageRequest {
  readonly url: string
  readonly allow: AllowedHosts
  readonly timeoutMs: number
  /** The maximum number of bytes of the page, after decompression. */
  readonly maxBytes: number
}

export interface Page {
  readonly url: URL
  readonly type: string
  readonly charset: string
  readonly body: Buffer
  readonly cut: boolean
}

const maxRedirects = 5

/**
 * Fetches a page and follows redirects on the same host. Redirects to another host are only reported, so that the agent
 * calls the tool with that address and the gate judges it.
 */
export async function fetchPage(request: PageRequest, signal: AbortSignal): Promise<Page> {
  const limit = AbortSignal.timeout(request.timeoutMs)
  const either = AbortSignal.any([signal, limit])
  try {
    let url = addressOf(request.url)
    for (let redirects = 0; ; redirects++) {
      const response = await guardedRequest(url, request.allow, either)
      const status = response.statusCode ?? 0
      const { location } = response.headers
      if (status >= 300 && status < 400 && location !== undefined) {
        response.destroy()
        if (redirects === maxRedirects)
          throw new Refusal(`${request.url} redirects more than ${maxRedirects} times.`)
        const next = addressOf(location, url)
        if (!isSameHost(url, next))
          throw new Refusal(
            `${url.href} redirects to another host, which Cadre did not fetch: ${next.href}. Call web_fetch with that address if you need it.`,
          )
        url = next
        continue
      }
      if (status >= 400 || status < 200) {
        response.destroy()
        throw new Refusal(
          `${url.href} returned status ${status}${response.statusMessage ? ` ${response.statusMessage}` : ''}.`,
        )
      }
      const [type = '', ...parameters] = (response.headers['content-type'] ?? '').split(';')
      const charset = parameters
        .map((part) => /^\s*charset\s*=\s*"?([^"\s]+)/i.exec(part)?.[1])
        .find((name) => name !== undefined)
      return {
        url,
        type: type.trim().toLowerCase(),
        charset: charset ?? 'utf-8',
        ...(await bodyOf(response, request.maxBytes, either)),
      }
    }
  } catch (error) {
    if (signal.aborted) throw new Refusal('The request was cancelled.')
    if (limit.aborted)
      throw new Refusal(`${request.url} did not answer within ${request.timeoutMs / 1_000} seconds.`)
    throw error instanceof Refusal
      ? error
      : new Refusal(`Cannot fetch ${request.url}: ${(error as Error).message}`)
  }
}

/** Including the port; from http to https, the default ports. */
function isSameHost(from: URL, to: URL): boolean {
  if (to.protocol === from.protocol) return to.host === from.host
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:'
  return isUpgrade && to.hostname === from.hostname && from.port === '' && to.port === ''
}

function addressOf(given: string, base?: URL): URL {
  try {
    return new URL(given, base)
  } catch {
    throw new Refusal(`${given.slice(0, 200)} is not a web address. It must begin with https://.`)
  }
}

async function bodyOf(
  response: IncomingMessage,
  max: number,
  signal: AbortSignal,
): Promise<{ body: Buffer; cut: boolean }> {
  const stream = decompress(response)
  const parts: Buffer[] = []
  let size = 0
  // Decompresses only as fast as it is read, so a decompression bomb stops at the limit.
  const stop = () => stream.destroy(new Error('aborted'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      parts.push(part.subarray(0, max - size))
      size += part.length
      if (size > max) return { body: Buffer.concat(parts), cut: true }
    }
    signal.throwIfAborted()
    return { body: Buffer.concat(parts), cut: false }
  } finally {
    signal.removeEventListener('abort', stop)
    response.destroy()
  }
}

function decompress(response: IncomingMessage): Readable {
  const coding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const unpack =
    coding === 'gzip' || coding === 'x-gzip'
      ? createGunzip()
      : coding === 'deflate'
        ? createInflate()
        : coding === 'br'
          ? createBrotliDecompress()
          : undefined
  if (unpack === undefined) {
    if (coding === 'identity') return response
    response.destroy()
    throw new Refusal(`The page has the unsupported content encoding ${coding}.`)
  }
  response.on('error', (error) => unpack.destroy(error))
  return response.pipe(unpack)
}
