import type { IncomingMessage } from 'node:http'

export type ReadBody =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  /** The client has disconnected. */
  | { readonly kind: 'broken' }

/** Reads the whole body, and counts bytes as they arrive. The declared length is used only to reject a body early. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<ReadBody> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve({ kind: 'too_large' })
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    let size = 0
    const end = (result: ReadBody) => {
      request.off('data', take)
      resolve(result)
    }
    const take = (part: Buffer) => {
      size += part.length
      if (size > maxBytes) end({ kind: 'too_large' })
      else parts.push(part)
    }
    request.on('data', take)
    request.once('end', () => end({ kind: 'read', bytes: Buffer.concat(parts) }))
    request.once('error', () => end({ kind: 'broken' }))
    request.once('close', () => end({ kind: 'broken' }))
  })
}

/** Whether part of the body is still unread. The server would read it as the next request on the same connection. */
export function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined
}
