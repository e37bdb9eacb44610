import { completionOf, streamOf, type WireReply } from './completion.ts'

export type Piece = string | Uint8Array

/**
 * How the server answers one request. Pieces are written one by one, each in a chunk of its own and flushed before the
 * next; an async iterable holds them back for as long as a test likes.
 */
export type WireAnswer =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers: { readonly [name: string]: string }
      readonly pieces: Iterable<Piece> | AsyncIterable<Piece>
      /**
       * What follows the pieces. `end`: a proper end. `cut`: the connection is closed in the middle. `reset`: the same,
       * without regard to bytes still on their way. `hang`: nothing at all.
       */
      readonly end: 'end' | 'cut' | 'reset' | 'hang'
    }
  /** Takes the request and never says a word. */
  | { readonly kind: 'hang' }
  /** Takes the request and breaks the connection. */
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
  /** The same reply as one JSON body, though a stream was asked for. */
  whole: (reply: WireReply): WireAnswer => raw([JSON.stringify(completionOf(reply))], { headers: json }),
  /** An error as such servers write it, for example `problem(429, 'slow down', { headers: { 'retry-after': '2' } })`. */
  problem,
  /** Exactly these pieces, whatever they are. */
  raw,
  hang: (): WireAnswer => ({ kind: 'hang' }),
  reset: (): WireAnswer => ({ kind: 'reset' }),
} as const
