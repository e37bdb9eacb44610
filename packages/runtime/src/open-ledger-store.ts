import {
  CadreError,
  emptyDay,
  emptySlots,
  type LedgerAnswer,
  type LedgerDay,
  type LedgerSlots,
  messageOf,
} from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { type EngineSettings, type Home, type LedgerStore, openLedgerFiles } from '@cadre/home'

/** Longer than an order takes while a worker is running. */
const timeLimit = 10_000

/** Where the budgets of a home are kept: in its files, or at the server of its engine, which all its machines share. */
export function openLedgerStore(home: Home, engine: EngineSettings | undefined): LedgerStore {
  return engine === undefined ? openLedgerFiles(home, () => systemClock.now()) : openLedgerServer(engine)
}

/** The name that the place of this process has in `limits.parallel.place`. */
export function placeOf(engine: EngineSettings | undefined): string {
  return engine?.place ?? 'here'
}

function openLedgerServer(engine: EngineSettings): LedgerStore {
  const { ingress = 'http://127.0.0.1:8080', place, ledger = place } = engine
  const call = async (account: string, handler: string, input?: unknown): Promise<unknown> => {
    const url = `${ingress.replace(/\/+$/, '')}/cadre-${ledger}-ledger/${account}/${handler}`
    let response: Response
    let text: string
    try {
      response = await fetch(url, {
        method: 'POST',
        signal: AbortSignal.timeout(timeLimit),
        ...(input !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(input),
        }),
      })
      text = await response.text()
    } catch (error) {
      const { cause = error } = error as { cause?: unknown }
      throw unreachable(ingress, ledger, messageOf(cause))
    }
    if (!response.ok) throw unreachable(ingress, ledger, `it answered ${response.status}`)
    return text === '' ? null : JSON.parse(text)
  }
  return {
    change: async (account, order) => (await call(account, 'change', order)) as LedgerAnswer,
    readDay: async (day) => ((await call(day, 'read')) as LedgerDay | null) ?? emptyDay,
    readSlots: async () => ((await call('trees', 'read')) as LedgerSlots | null) ?? emptySlots,
  }
}

function unreachable(ingress: string, place: string, why: string): CadreError {
  return new CadreError(
    'backend',
    `cannot reach a worker of place ${place} at ${ingress}, which counts the budgets of this home: ${why}. Start the server and a worker for that place, or correct engine.ledger`,
  )
}
