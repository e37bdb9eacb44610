import type { JsonObject } from '@cadre/core'

/**
 * `sending`: started, without a recorded result, so it may have been sent. `sent`: with the receipt of the other side. `failed`: not sent.
 */
export type OutboxState = 'sending' | 'sent' | 'failed'

/** An outgoing message and its current state. */
export interface OutboxEntry {
  readonly channel: string
  readonly key: string
  readonly at: string
  readonly state: OutboxState
  /** The file in `inbox/` that lists it together with incoming messages. */
  readonly inbox: string
  readonly message: JsonObject
  readonly receipt?: JsonObject
  /** The reason why it was not sent. */
  readonly error?: string
}
