import { completionOf, streamOf, type WireReply } from './wire-reply.ts'

export type Piece = string | Uint8Array

/** An answer to one request. Each piece is written as a separate chunk and flushed before the next; an async iterable can delay pieces. */
export type WireAnswer =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: { readonly [name: string]: string }
      readonly pieces: Iterable<Piece> | AsyncIterable<Piece>
      /**
       * What follows the pieces. `end`: a normal end. `cut`: the connection is closed in the middle. `reset`: the connection is reset, even
       * if bytes are in flight. `hang`: nothing.
       */
      readonly end: 'end' | 'cut' | 'reset' | 'hang'
    }
  /** Accepts the request and never answers. */
  | { readonly kind: 'hang' }
  /** Accepts the request and resets the connection. */
  | { readonly kind: 'reset' }

type Options = Partial<Omit<Extract<WireAnswer, { kind: 'answer' }>, 'kind' | 'pieces'>>

const json = { 'content-type': 'application/json' }
const events = { 'content-type': 'text/event-stream' }

function raw(pieces: Iterable<Piece> | AsyncIterable<Piece>, options: Options = {}): WireAnswer {
  return { kind: 'answer', status: 200, headers: events, end: 'end', pieces, ...options }
}

function problem(
  status: number,
  message: string,
  options: Options & { readonly code?: string } = {},
): WireAnswer {
  const { code, headers, ...rest } = options
  const body = JSON.stringify({ error: { message, ...(code && { code }) } })
  return raw([body], { ...rest, status, headers: { ...json, ...headers } })
}

/** Ways to answer a request, from well-behaved to broken. */
export const answers = {
  /** A reply, streamed. */
  reply: (reply: WireReply, options?: Options): WireAnswer => raw(streamOf(reply), options),
  /** The reply as one JSON body, although a stream was requested. */
  whole: (reply: WireReply): WireAnswer => raw([JSON.stringify(completionOf(reply))], { headers: json }),
  /** An error in the format of such servers, for example `problem(429, 'slow down', { headers: { 'retry-after': '2' } })`. */
  problem,
  /** Exactly these pieces. */
  raw,
  hang: (): WireAnswer => ({ kind: 'hang' }),
  reset: (): WireAnswer => ({ kind: 'reset' }),
} as const
