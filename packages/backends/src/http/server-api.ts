import type { ModelRequest } from '@cadre/core'
import type { Ended } from './exchange.ts'
import type { BodyReader } from './read-reply.ts'

/**
 * How an API writes requests and replies. `Quirks` is what one server was found not to take: learnt from its refusals, and kept while
 * the process lives.
 */
export interface ServerApi<Quirks extends object> {
  /** Below the address of the server. */
  readonly path: string
  readonly noQuirks: Quirks
  body(model: string, request: ModelRequest, quirks: Quirks): string
  /** `hide` takes secrets out of what is quoted: it must see them whole, before anything is cut short. */
  reader(tell: (delta: string) => void, hide: (text: string) => string): BodyReader
  /** How to write a refused request differently; `undefined` when that was not the reason. Must come to an end. */
  adapt(quirks: Quirks, ended: Extract<Ended, { kind: 'status' }>, request: ModelRequest): Quirks | undefined
  /** Whether the server still accepts a limit on the reply. */
  takesLimit(quirks: Quirks): boolean
  /** What is kept for later requests, of the quirks with which one succeeded. */
  lasting(quirks: Quirks): Quirks
}
