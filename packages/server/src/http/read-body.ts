import type { IncomingMessage } from 'node:http'

export type ReadBody =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  /** Whoever sent it has gone. */
  | { readonly kind: 'broken' }

/** All of a request's body, counted while it comes: what somebody says about its length is only believed when it is too long. */
export function readBody(request: IncomingMessage, most: number): Promise<ReadBody> {
  if (Number(request.headers['content-length'] ?? 0) > most) return Promise.resolve({ kind: 'too_large' })
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    let size = 0
    const end = (result: ReadBody) => {
      request.off('data', take)
      resolve(result)
    }
    const take = (part: Buffer) => {
      size += part.length
      if (size > most) end({ kind: 'too_large' })
      else parts.push(part)
    }
    request.on('data', take)
    request.once('end', () => end({ kind: 'read', bytes: Buffer.concat(parts) }))
    request.once('error', () => end({ kind: 'broken' }))
    request.once('close', () => end({ kind: 'broken' }))
  })
}
