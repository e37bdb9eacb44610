import type { Reply, Usage } from '@cadre/core'

export type ParsedReply =
  | Reply
  /** The server reported an error inside a response that started successfully. */
  | { readonly kind: 'reported'; readonly error: unknown }
  /** The response is not a complete reply. */
  | { readonly kind: 'garbled'; readonly reason: string }
  | { readonly kind: 'empty' }

/** Builds one reply from the body of one response, streamed or whole. */
export interface BodyReader {
  /** The usage, if the server has reported it. */
  readonly usage: Usage | undefined
  /** Returns true once the server has reported the end. */
  push(chunk: string): boolean
  /** Call it once, when the body has ended properly. */
  finish(): ParsedReply
}
