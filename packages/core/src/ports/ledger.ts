import type { Price } from './model.ts'
import type { SessionSpec } from './session-spec.ts'

/**
 * Counts what all runs of a home share, on all its machines: daily budgets, and how many trees run at the same time. Core asks it only
 * if a ceiling is set.
 */
export interface Ledger {
  /** The ceilings for the requests of a session. Empty if none applies. Must not throw. */
  ceilings(session: Pick<SessionSpec, 'chain'>): readonly Ceiling[]
  /** True if a ceiling is set for any session. */
  readonly hasCeilings: boolean
  /** How many trees may run at the same time. Absent: no limit. */
  readonly parallel?: ParallelLimits
  /**
   * Carries out an order, atomically and durably, with `applyToDay` or `applyToSlots`. Every order is safe to repeat. `account` is a day
   * such as `2026-11-18`, or `trees`. Rejects with `backend` if the ledger cannot be reached: core tries again.
   */
  change(account: string, order: LedgerOrder): Promise<LedgerAnswer>
}

/** The most that everything with this key may spend in a day. */
export interface Ceiling {
  /** Such as `day` or `agent:lead`. */
  readonly key: string
  /** The setting, for people: `budgets.day`. */
  readonly setting: string
  readonly tokens?: number
  /** Billionths of a dollar. */
  readonly nanos?: number
}

export interface ParallelLimits {
  readonly place: string
  readonly perPlace?: number
  readonly perHome?: number
}

export type LedgerOrder =
  | ({ readonly kind: 'reserve' } & ReserveOrder)
  /** The reservation is replaced by what the request has spent. No effect if it is settled. */
  | { readonly kind: 'settle'; readonly id: string; readonly tokens: number; readonly nanos: number }
  /** Lists the reservations of a tree. */
  | { readonly kind: 'list'; readonly root: string }
  | ({ readonly kind: 'enter' } & RunningTree)
  /** Keeps the slots of trees that run. `trees` returns slots that the ledger has lost. An older version sends only `owners`. */
  | {
      readonly kind: 'renew'
      readonly owners: readonly string[]
      readonly trees?: readonly RunningTree[]
    }
  | { readonly kind: 'leave'; readonly owner: string }

export interface ReserveOrder {
  /** Unique. A repeated order with the same id has no effect. */
  readonly id: string
  readonly root: string
  readonly session: string
  readonly at: number
  readonly ceilings: readonly Ceiling[]
  readonly input: number
  readonly output: number
  /** The shortest reply that is worth its input. */
  readonly minOutput: number
  readonly price?: Price
}

export type LedgerAnswer =
  | { readonly kind: 'done' }
  | { readonly kind: 'reserved'; readonly output: number }
  /** It does not fit now. */
  | { readonly kind: 'waits'; readonly reason: string }
  /** It does not fit today. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'open'; readonly reservations: readonly OpenReservation[] }

export interface OpenReservation {
  readonly id: string
  readonly root: string
  readonly session: string
  readonly keys: readonly string[]
  readonly output: number
  readonly tokens: number
  readonly nanos: number
  readonly at: number
}

/** What a day has spent, by the key of a ceiling, and the requests that are not settled. */
export interface LedgerDay {
  readonly spent: { readonly [key: string]: { readonly tokens: number; readonly nanos: number } }
  readonly open: readonly OpenReservation[]
}

/** A tree that has a slot, or wants one. */
export interface RunningTree {
  readonly root: string
  /** The life of the tree. A later life takes the slot over. */
  readonly owner: string
  readonly limits: ParallelLimits
}

/** The trees that run, and those that wait for a slot, in order. */
export interface LedgerSlots {
  readonly held: readonly LedgerSlot[]
  readonly waiting: readonly LedgerSlot[]
  /** When the last order was carried out. An older version does not store it. */
  readonly seen?: number
}

export interface LedgerSlot extends RunningTree {
  /** The time at which the slot is free if it is not renewed. */
  readonly until: number
}
