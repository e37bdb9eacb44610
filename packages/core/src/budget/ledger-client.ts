import { CadreError, messageOf } from '../ports/errors.ts'
import type { Ledger, LedgerAnswer, LedgerOrder } from '../ports/ledger.ts'
import type { Ports } from '../ports/ports.ts'
import type { Stoppable } from '../session/until-stopped.ts'

const longestPause = 2_000

/** The day of a budget, such as `2026-11-18`. It changes at midnight UTC, on all machines at the same time. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** An id that no other request or life of any process has, on any machine. */
export function uniqueId(): string {
  return crypto.randomUUID()
}

export interface LedgerRequest {
  readonly ports: Pick<Ports, 'clock'> & { readonly ledger: Ledger }
  /** Created again for each try, because the day may change. */
  readonly order: () => { readonly account: string; readonly order: LedgerOrder }
  readonly stop: Stoppable
  /** Called once, with the reason, if the ledger lets the order wait or cannot be reached. */
  readonly waiting?: (reason: string) => void
}

/** Sends an order until the ledger has carried it out. Resolves to `undefined` when stopped. */
export async function askLedger(request: LedgerRequest): Promise<LedgerAnswer | undefined> {
  const { ports, stop } = request
  let { waiting } = request
  for (let pause = 50; !stop.isStopped; pause = Math.min(2 * pause, longestPause)) {
    const { account, order } = request.order()
    const answer = await tryOnce(ports.ledger, account, order)
    if (answer.kind !== 'waits') return answer
    waiting?.(answer.reason)
    waiting = undefined
    await new Promise<void>((resolve) => {
      const cancel = ports.clock.after(pause, () => {
        unsubscribe()
        resolve()
      })
      const unsubscribe = stop.onStop(() => {
        cancel()
        resolve()
      })
    })
  }
  return undefined
}

/** A ledger that cannot be reached lets the order wait: the ceiling is hard. */
async function tryOnce(ledger: Ledger, account: string, order: LedgerOrder): Promise<LedgerAnswer> {
  try {
    return await ledger.change(account, order)
  } catch (error) {
    if (!(error instanceof CadreError) || (error.code !== 'backend' && error.code !== 'owned')) throw error
    return { kind: 'waits', reason: messageOf(error) }
  }
}
