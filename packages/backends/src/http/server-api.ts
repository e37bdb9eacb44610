import type { ModelRequest } from '@cadre/core'
import type { ExchangeResult } from './exchange.ts'
import type { BodyReader } from './read-reply.ts'

/**
 * The request and reply format of an API. `Quirks` are features that one server was found not to support: learned from its
 * errors, and kept until the process exits.
 */
export interface ServerApi<Quirks extends object> {
  /** Relative to the address of the server. */
  readonly path: string
  readonly noQuirks: Quirks
  body(model: string, request: ModelRequest, quirks: Quirks): string
  /** `hide` removes secrets from quoted text: it must see them whole, before anything is cut. */
  reader(tell: (delta: string) => void, hide: (text: string) => string): BodyReader
  /** Returns how to write a rejected request differently; `undefined` if that was not the reason. Must terminate. */
  adapt(
    quirks: Quirks,
    ended: Extract<ExchangeResult, { kind: 'status' }>,
    request: ModelRequest,
  ): Quirks | undefined
  /** True if the server still accepts a limit on the reply. */
  acceptsReplyLimit(quirks: Quirks): boolean
  /** Returns the quirks to keep for later requests, after one succeeded. */
  lasting(quirks: Quirks): Quirks
}
