import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { securityHeaders } from './guard/security-headers.ts'
import { type HttpProblem, problemBody } from './problem.ts'
import { hasUnreadBody } from './read-body.ts'

const compress = promisify(gzip)
const leastCompressed = 1024
/** Bytes that are sent again are compressed only once. */
const compressed = new WeakMap<Buffer, Promise<Buffer>>()

export interface HttpAnswer {
  readonly status: number
  readonly type: string
  readonly bytes: Buffer
  readonly etag?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The first 22 characters of the SHA-256 hash, which is enough to distinguish any two contents. */
export function etagOf(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
}

/** Sends an answer with the security headers. A client that already has the content gets 304. */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type, bytes, etag, headers = {} }: HttpAnswer,
): Promise<void> {
  const shared = {
    ...securityHeaders,
    ...headers,
    vary: 'accept-encoding',
    ...(etag !== undefined && { etag: `"${etag}"` }),
    ...(hasUnreadBody(request) && { connection: 'close' }),
  }
  if (status === 200 && etag !== undefined && isKnown(request.headers['if-none-match'], etag)) {
    response.writeHead(304, shared).end()
    return
  }
  const accepts = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(
    String(request.headers['accept-encoding'] ?? ''),
  )
  const isShort = bytes.length < leastCompressed
  const content = accepts && !isShort ? await compressOnce(bytes) : bytes
  if (response.destroyed) return
  response.writeHead(status, {
    ...shared,
    'content-type': type,
    'content-length': content.length,
    ...(content !== bytes && { 'content-encoding': 'gzip' }),
  })
  response.end(request.method === 'HEAD' ? undefined : content)
}

function compressOnce(bytes: Buffer): Promise<Buffer> {
  const known = compressed.get(bytes)
  if (known !== undefined) return known
  const made = compress(bytes, { level: 1 })
  compressed.set(bytes, made)
  return made
}

export async function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  problem: HttpProblem,
): Promise<void> {
  await sendAnswer(request, response, {
    status: problem.status,
    type: 'application/problem+json',
    bytes: Buffer.from(JSON.stringify(problemBody(problem))),
    headers: {
      ...problem.headers,
      ...(problem.status === 401 && { 'www-authenticate': 'Bearer realm="cadre"' }),
    },
  })
}

function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((one) => {
    const text = one.trim()
    return text === '*' || text.replace(/^W\//, '') === `"${etag}"`
  })
}
