import type { Ledger, LedgerDay, LedgerSlots } from '@cadre/core'

/** Where a ledger is kept. */
export interface LedgerStore extends Pick<Ledger, 'change'> {
  /** A day such as `2026-11-18`. */
  readDay(day: string): Promise<LedgerDay>
  readSlots(): Promise<LedgerSlots>
}
