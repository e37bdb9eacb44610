import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { Refusal } from '../refusal.ts'
import { followRedirects, type GuardedAddress } from './follow-redirects.ts'

export interface PageRequest extends GuardedAddress {
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

/** Fetches a page. A status that reports an error is a failure. */
export async function fetchPage(request: PageRequest, signal: AbortSignal): Promise<Page> {
  return followRedirects(
    request,
    async (response, url, limited) => {
      const status = response.statusCode ?? 0
      if (status >= 400 || status < 200)
        throw new Refusal(
          `${url.href} returned status ${status}${response.statusMessage ? ` ${response.statusMessage}` : ''}.`,
        )
      const [type = '', ...parameters] = (response.headers['content-type'] ?? '').split(';')
      const charset = parameters
        .map((part) => /^\s*charset\s*=\s*"?([^"\s]+)/i.exec(part)?.[1])
        .find((name) => name !== undefined)
      return {
        url,
        type: type.trim().toLowerCase(),
        charset: charset ?? 'utf-8',
        ...(await bodyOf(response, request.maxBytes, limited)),
      }
    },
    signal,
  )
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
