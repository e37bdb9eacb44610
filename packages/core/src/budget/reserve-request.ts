/**
 * Reserves requests from all budgets that apply to them: first from those of the tree, then from those of the home, which other trees and
 * machines share. Called for requests to models and for paid requests of tools.
 *
 * 1. The ledger has the reservation before the journal has it, and the journal before the request is sent.
 * 2. So after a crash, a reservation that no journal mentions was not sent and is released; any other one is settled from the journal.
 */
import type { Session } from '../session/session.ts'
import type { Stoppable } from '../session/until-stopped.ts'
import { minReplyTokens, Reservation, type Spending, type WantedReservation } from './budget.ts'
import { askLedger, dayOf, uniqueId } from './ledger-client.ts'

export type RequestReservation =
  | {
      readonly kind: 'reserved'
      readonly reservation: Reservation
      /** The reservation in the ledger, for the record. */
      readonly id?: string
      /** Resolves when the ledger knows what was spent. */
      readonly settled: () => Promise<void>
    }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'stopped' }

const ceilingsOf = ({ ports, spec }: Session) => ports.ledger?.ceilings(spec) ?? []

/** Returns whether a budget limits the requests of this session. */
export function hasRequestLimit(session: Session): boolean {
  return session.node.account?.hasRequestLimit === true || ceilingsOf(session).length > 0
}

/** Returns whether a money budget applies to this session. */
export function hasCostLimit(session: Session): boolean {
  return (
    session.node.account?.hasCostLimit === true ||
    ceilingsOf(session).some(({ nanos }) => nanos !== undefined)
  )
}

export async function reserveRequest(
  session: Session,
  wanted: WantedReservation,
): Promise<RequestReservation> {
  const { account, question } = session.node
  const ofTree =
    account === undefined
      ? ({ kind: 'reserved', reservation: new Reservation(wanted, wanted.output, () => {}) } as const)
      : await account.reserve(wanted, question)
  if (ofTree.kind !== 'reserved') return ofTree
  const { reservation } = ofTree
  if (ceilingsOf(session).length === 0) return { ...ofTree, settled: () => Promise.resolve() }
  const ofHome = await reserveFromHome(session, { ...wanted, output: reservation.output }, question)
  if (ofHome.kind !== 'reserved') {
    reservation.settle({ input: 0, output: 0 })
    return ofHome
  }
  const { output, id, settle } = ofHome
  let settling: Promise<void> = Promise.resolve()
  const both = new Reservation(wanted, output, (spent) => {
    reservation.end(spent)
    settling = settle(spent)
  })
  return { kind: 'reserved', reservation: both, id, settled: () => settling }
}

interface HomeReservation {
  readonly kind: 'reserved'
  readonly id: string
  readonly output: number
  settle(spent: Spending): Promise<void>
}

async function reserveFromHome(
  session: Session,
  { input, output, price }: WantedReservation,
  stop: Stoppable,
): Promise<HomeReservation | { kind: 'refused'; reason: string } | { kind: 'stopped' }> {
  const { spec, ports, emit } = session
  const { ledger, clock } = ports
  if (ledger === undefined) throw new Error('unreachable: the session has no ledger')
  const id = `${spec.id}/${uniqueId()}`
  let day = ''
  const asking = askLedger({
    ports: { ledger, clock },
    stop,
    waiting: (reason) =>
      emit({ type: 'notice.added', notice: { code: 'budget', message: `A request is waiting: ${reason}.` } }),
    order() {
      const at = clock.now()
      day = dayOf(at)
      const order = {
        ...({ kind: 'reserve', id, root: spec.root, session: spec.id, at } as const),
        ...{ ceilings: ceilingsOf(session), input, output, minOutput: Math.min(minReplyTokens, output) },
        ...(price && { price }),
      }
      return { account: day, order }
    },
  })
  // The next life of the tree settles it.
  const untilLost: Stoppable = {
    get isStopped() {
      return session.tree.isLost
    },
    onStop: () => () => {},
  }
  const settle = async ({ tokens, nanos }: Spending) => {
    await askLedger({
      ports: { ledger, clock },
      stop: untilLost,
      order: () => ({ account: day, order: { kind: 'settle', id, tokens, nanos } }),
    })
  }
  const release = () => settle({ tokens: 0, nanos: 0, calls: 0 })
  return new Promise((resolve, reject) => {
    let isOver = stop.isStopped
    const unsubscribe = stop.onStop(() => {
      isOver = true
      resolve({ kind: 'stopped' })
    })
    if (isOver) resolve({ kind: 'stopped' })
    asking.then((answer) => {
      unsubscribe()
      if (answer?.kind === 'reserved') {
        if (isOver) release().catch(() => {})
        else resolve({ kind: 'reserved', id, output: answer.output, settle })
      } else if (answer?.kind === 'refused') resolve(answer)
      else resolve({ kind: 'stopped' })
    }, reject)
  })
}
