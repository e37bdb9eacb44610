import type { Entry } from '../ports/entry.ts'
import type { OpenReservation } from '../ports/ledger.ts'
import type { Ports } from '../ports/ports.ts'
import type { Usage } from '../ports/report.ts'
import type { Stoppable } from '../session/until-stopped.ts'
import { askLedger, dayOf } from './ledger-client.ts'

const dayLength = 86_400_000

/**
 * Settles the reservations that earlier lives of a tree left in the ledger. Call it before the tree runs: none of its requests is in flight,
 * except those of lives that are over.
 */
export async function recoverReservations(ports: Ports, root: string, stop: Stoppable): Promise<void> {
  const { ledger, clock, engine } = ports
  if (!ledger?.hasCeilings) return
  const asks = { ports: { ledger, clock }, stop }
  for (const day of [dayOf(clock.now()), dayOf(clock.now() - dayLength)]) {
    const answer = await askLedger({
      ...asks,
      order: () => ({ account: day, order: { kind: 'list', root } }),
    })
    if (answer?.kind !== 'open') continue
    for (const reservation of answer.reservations) {
      const stored = await engine.read(reservation.session)
      const spent = spentOf(reservation, stored?.entries ?? [])
      const order = { kind: 'settle', id: reservation.id, ...spent } as const
      await askLedger({ ...asks, order: () => ({ account: day, order }) })
    }
  }
}

/** What a request has spent according to its journal. One without an answer counts in full, because the server may have billed it. */
function spentOf(
  reservation: OpenReservation,
  entries: readonly Entry[],
): { readonly tokens: number; readonly nanos: number } {
  const at = entries.findIndex((entry) => entry.role === 'event' && entry['reservation'] === reservation.id)
  // The journal has it before it is sent.
  if (at < 0) return { tokens: 0, nanos: 0 }
  const usage = usageAfter(entries[at] as Entry, entries.slice(at + 1))
  const { tokens, nanos } = reservation
  if (usage === undefined) return { tokens, nanos }
  return {
    tokens: usage.input + usage.output,
    nanos: usage.cost === undefined ? nanos : Math.ceil(usage.cost * 1e9 - 1e-3),
  }
}

function usageAfter(sent: Entry, later: readonly Entry[]): Usage | undefined {
  const isForCall = sent.role === 'event' && sent.type === 'tokens.reserved'
  for (const entry of later) {
    if (isForCall) {
      if (entry.role !== 'event' || entry.call !== sent.call) continue
      if (entry.type === 'tokens.settled') return entry['usage'] as Usage | undefined
      if (entry.type === 'tokens.reserved') return undefined
    } else if (entry.role === 'assistant') {
      if (!entry.earlier) return entry.usage
    } else if (entry.role === 'event') {
      if (entry.type === 'request.sent') return undefined
      if (entry.type === 'request.settled' || entry.type === 'context.compacted')
        return entry['usage'] as Usage | undefined
    }
  }
  return undefined
}
