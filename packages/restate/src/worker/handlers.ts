import type { LedgerAnswer, LedgerDay, LedgerOrder, LedgerSlots } from '@cadre/core'
import type { ObjectContext, ObjectSharedContext } from '@restatedev/restate-sdk'
import type { Packed } from '../log/packed.ts'
import type { TreeOrder } from '../tree-order.ts'

/** The handlers of a tree. */
export type TreeHandlers = {
  /** Runs the tree. The server runs one at a time for each tree, on one worker. */
  run: (ctx: ObjectContext, order: Packed<TreeOrder>) => Promise<void>
  /** Returns keys of the archive, as JSON texts. */
  read: (ctx: ObjectSharedContext, keys: readonly string[]) => Promise<(string | null)[]>
}

/** Delivers messages to a tree: to its running invocation, or by starting one. */
export type MessageHandlers = {
  send: (ctx: ObjectContext, order: Packed<TreeOrder>) => Promise<void>
  /** From now on, the invocation with this awakeable receives the next message. */
  listen: (ctx: ObjectContext, awakeable: string) => Promise<void>
  /** Returns false if a message was sent to the awakeable. */
  unlisten: (ctx: ObjectContext, awakeable: string) => Promise<boolean>
}

export type IndexHandlers = {
  put: (ctx: ObjectContext, root: string) => Promise<void>
  charge: (ctx: ObjectContext, session: string) => Promise<void>
  get: (ctx: ObjectSharedContext) => Promise<IndexEntry>
}

export interface IndexEntry {
  /** For an entry session its own id, or null if no client has started it. */
  readonly root: string | null
  /** Entry sessions that spend from the budget of this tree. */
  readonly charged: readonly string[]
}

export type BlobHandlers = {
  put: (ctx: ObjectContext, text: string) => Promise<void>
  get: (ctx: ObjectSharedContext) => Promise<string | null>
}

/** The ledger of the homes that name this place. Its key is a day, or `trees`. */
export type LedgerHandlers = {
  change: (ctx: ObjectContext, order: LedgerOrder) => Promise<LedgerAnswer>
  read: (ctx: ObjectSharedContext) => Promise<LedgerDay | LedgerSlots | null>
}
