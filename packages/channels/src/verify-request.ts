import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { PostRequest } from './channel.ts'

export const signingSchemes = ['github', 'slack', 'hmac-sha256', 'token'] as const
export type SigningScheme = (typeof signingSchemes)[number]

/** How senders of requests authenticate. */
export interface RequestSigning {
  readonly scheme: SigningScheme
  /** The header with the signature or the token. */
  readonly header: string
  /** Signed together with the body if set: the send time, in seconds since 1970. */
  readonly timestampHeader: string | undefined
  /** The maximum age of a request, in seconds. */
  readonly tolerance: number
}

export type VerifiedRequest =
  /** `proof` is the same for the same request, and cannot be forged without the secret. */
  | { readonly kind: 'right'; readonly proof: string | undefined }
  | { readonly kind: 'wrong'; readonly reason: string }

/** Checks that the sender has the secret, and that the request is recent if it includes a time. */
export function verifyRequest(
  request: PostRequest,
  hook: RequestSigning,
  secret: string,
  now: number,
): VerifiedRequest {
  const { headers, body } = request
  const given = headers[hook.header]
  if (given === undefined || given === '') return wrong(`The header ${hook.header} is missing.`)
  if (hook.scheme === 'token') {
    const token = hook.header === 'authorization' ? /^Bearer +(\S+)$/i.exec(given)?.[1] : given
    return isSame(digest(token ?? ''), digest(secret))
      ? { kind: 'right', proof: undefined }
      : wrong('The token is invalid.')
  }
  const time = hook.timestampHeader === undefined ? undefined : headers[hook.timestampHeader]
  if (hook.timestampHeader !== undefined) {
    if (time === undefined || !/^\d{1,12}$/.test(time))
      return wrong(`The header ${hook.timestampHeader} is missing.`)
    if (Math.abs(now / 1000 - Number(time)) > hook.tolerance)
      return wrong('The request is too old, or the clocks differ.')
  }
  const made = createHmac('sha256', secret)
  if (hook.scheme === 'slack') made.update(`v0:${time}:`)
  else if (time !== undefined) made.update(`${time}.`)
  const sum = made.update(body).digest()
  const written = bytesOf(given, hook.scheme)
  if (written === undefined || !isSame(written, sum)) return wrong('The signature is invalid.')
  return { kind: 'right', proof: sum.toString('hex') }
}

/** Decodes a signature in the format of the scheme. */
function bytesOf(given: string, scheme: SigningScheme): Buffer | undefined {
  if (scheme === 'github') return hex(/^sha256=([0-9a-f]{64})$/i.exec(given)?.[1])
  if (scheme === 'slack') return hex(/^v0=([0-9a-f]{64})$/i.exec(given)?.[1])
  const bare = given.replace(/^sha256=/i, '').trim()
  if (/^[0-9a-f]{64}$/i.test(bare)) return hex(bare)
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(bare) ? Buffer.from(bare, 'base64') : undefined
}

function hex(digits: string | undefined): Buffer | undefined {
  return digits === undefined ? undefined : Buffer.from(digits, 'hex')
}

/** Compares in constant time. */
function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Hashed, so that the comparison does not reveal the length of a token. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function wrong(reason: string): VerifiedRequest {
  return { kind: 'wrong', reason }
}
