import type { JsonObject } from '@cadre/core'

/**
 * `sending`: it was begun, and nobody has written down how it ended: it may have been sent. `sent`: with what the other side
 * said to it. `failed`: it was not sent.
 */
export type OutboxState = 'sending' | 'sent' | 'failed'

/** One message that goes out, as it stands. */
export interface OutboxEntry {
  readonly channel: string
  readonly key: string
  readonly at: string
  readonly state: OutboxState
  /** The file in `inbox/` where it is told with what came in. */
  readonly inbox: string
  readonly message: JsonObject
  readonly receipt?: JsonObject
  /** Why it was not sent. */
  readonly error?: string
}
