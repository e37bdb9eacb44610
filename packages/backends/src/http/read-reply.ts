import type { Reply, Usage } from '@cadre/core'

export type ReadReply =
  | Reply
  /** The server reported an error inside of what began as an answer. */
  | { readonly kind: 'reported'; readonly error: unknown }
  /** What came is no complete reply. */
  | { readonly kind: 'garbled'; readonly reason: string }
  | { readonly kind: 'empty' }

/** Makes one reply out of the body of one answer, streamed or whole. */
export interface BodyReader {
  /** The usage, if the server has reported it. */
  readonly usage: Usage | undefined
  /** True once the server has said that nothing follows. */
  push(chunk: string): boolean
  /** To be called once, when the body has come to its proper end. */
  finish(): ReadReply
}
