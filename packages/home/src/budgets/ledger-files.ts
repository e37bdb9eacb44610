import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import path from 'node:path'
import {
  applyToDay,
  applyToSlots,
  CadreError,
  emptyDay,
  emptySlots,
  type LedgerAnswer,
  type LedgerDay,
  type LedgerOrder,
  type LedgerSlots,
} from '@cadre/core'
import { hasCode, ownerOnly } from '@cadre/disk'
import type { Home } from '../home/home.ts'
import { withLock } from '../leases/with-lock.ts'
import type { LedgerStore } from './ledger-store.ts'

/**
 * Keeps the ledger of a home in `storage/budgets`, one file for each day and one for running trees. All processes that use the home share
 * it. `now` decides when a slot that is not renewed becomes free.
 */
export function openLedgerFiles(home: Home, now: () => number): LedgerStore {
  // Orders of this process go one after the other, because waiting for the lock is slow.
  let last: Promise<unknown> = Promise.resolve()
  const fileOf = (account: string) => home.at('storage', 'budgets', `${account}.json`)
  return {
    change(account, order) {
      const next = last.then(() => withLock(home, 'budgets', () => applyTo(home, account, order, now())))
      last = next.catch(() => {})
      return next
    },
    readDay: async (day) => (read(fileOf(day)) as LedgerDay | undefined) ?? emptyDay,
    readSlots: async () => (read(fileOf('trees')) as LedgerSlots | undefined) ?? emptySlots,
  }
}

function applyTo(home: Home, account: string, order: LedgerOrder, now: number): LedgerAnswer {
  const file = path.join(home.folder('storage', 'budgets'), `${account}.json`)
  const before = read(file)
  const { state, answer } =
    account === 'trees'
      ? applyToSlots((before as LedgerSlots | undefined) ?? emptySlots, order, now)
      : applyToDay((before as LedgerDay | undefined) ?? emptyDay, order)
  if (state !== before) write(file, JSON.stringify(state))
  return answer
}

function read(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    if (!(error instanceof SyntaxError)) throw error
    throw new CadreError(
      'corrupt',
      'this file records how much of the daily budgets is spent, but it is not valid JSON. Restore the file, or delete it to count from 0 again.',
      { where: file, cause: error },
    )
  }
}

/** On disk before it counts, so that a power loss cannot forget a reservation. */
function write(file: string, text: string): void {
  const draft = `${file}.tmp`
  const handle = openSync(draft, 'w', ownerOnly)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(draft, file)
}
