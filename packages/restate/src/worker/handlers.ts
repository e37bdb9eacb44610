import type { LedgerAnswer, LedgerDay, LedgerOrder, LedgerSlots } from '@cadre/core'
import type { ObjectContext, ObjectSharedContext } from '@restatedev/restate-sdk'
import type { LiveAnswer } from '../engine/live-events.ts'
import type { Packed } from '../log/packed.ts'
import type { BoxedOrder, TreeOrder } from '../tree-order.ts'

/** The handlers of a tree. */
export type TreeHandlers = {
  /** Runs the tree. The server runs one at a time for each tree, on one worker. */
  run: (ctx: ObjectContext, order: Packed<TreeOrder>) => Promise<void>
  /** Returns keys of the archive, as JSON texts. */
  read: (ctx: ObjectSharedContext, keys: readonly string[]) => Promise<(string | null)[]>
  /** Returns events that are not recorded, from the worker that runs the tree. */
  live: (ctx: ObjectSharedContext, order: LiveOrder) => Promise<LiveAnswer>
}

export interface LiveOrder {
  readonly after?: string
  /** How long to wait for news, in milliseconds. */
  readonly wait: number
}

/** The mailbox of a tree: delivers orders to its running invocation, or to the next one. */
export type MessageHandlers = {
  send: (ctx: ObjectContext, order: Packed<TreeOrder>) => Promise<void>
  /** Returns how many bytes the orders in the mailbox take. */
  size: (ctx: ObjectSharedContext) => Promise<number>
  /** An invocation begins. Returns all orders in the mailbox. */
  begin: (ctx: ObjectContext) => Promise<readonly BoxedOrder[]>
  /** The invocation has all orders up to `taken`. The awakeable receives those that follow. */
  listenAfter: (ctx: ObjectContext, wait: { taken: number; awakeable: string }) => Promise<void>
  /** The invocation ends. `orders` come before everything that it has not taken. */
  rest: (ctx: ObjectContext, end: { taken: number; orders: readonly Packed<TreeOrder>[] }) => Promise<void>
  /** From now on, the older invocation with this awakeable receives the next order. */
  listen: (ctx: ObjectContext, awakeable: string) => Promise<void>
  /** Returns false if an order was sent to the awakeable. */
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

/** The directory of a place. Trees add to it, and clients wait for what changes. */
export type DirectoryHandlers = {
  /** A tree has written its archive. */
  note: (ctx: ObjectContext, note: TreeNote) => Promise<void>
  /** Returns the trees that have changed. If there are none, waits for a change for some seconds. */
  changes: (ctx: ObjectSharedContext, query: ChangesQuery) => Promise<Changes>
  /** The awakeable receives the next changes. */
  listen: (ctx: ObjectContext, listener: Listener) => Promise<void>
  /** Returns the root of a child session. */
  rootOf: (ctx: ObjectSharedContext, session: string) => Promise<string | null>
}

export interface TreeNote {
  readonly root: string
  /** The child sessions that are new. */
  readonly sessions: readonly string[]
}

export interface ChangesQuery {
  /** The number of the last change that the client knows, or null. */
  readonly since: number | null
  /** Identifies the client. */
  readonly client: string
}

export interface Listener extends ChangesQuery {
  readonly awakeable: string
}

export interface Changes {
  /** The number of the last change. */
  readonly seq: number
  /** Null if the directory no longer knows all changes since then: any tree may have changed. */
  readonly roots: readonly string[] | null
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
