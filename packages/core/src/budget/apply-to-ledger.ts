/**
 * The rules of a ledger, as pure functions: every store applies them to its state, one order at a time. Used by the stores of homes and of
 * servers.
 *
 * 1. spent + reserved never exceeds a ceiling that the order names.
 * 2. A reservation belongs to a tree and a request. Reserving or settling it again has no effect.
 * 3. A request that does not fit only because of others in flight waits. A request in flight for too long counts as spent, so that the
 *    reservation of a machine that is gone makes nobody wait.
 * 4. A slot belongs to a tree. It becomes free when its process does not renew it while others reach the ledger. While nobody reaches the
 *    ledger, time does not pass for slots, so that after an outage every running tree can renew its slot before another tree enters.
 * 5. A running tree that the ledger has lost counts again as soon as it renews its slot, even if the limit is then exceeded.
 */
import type {
  Ceiling,
  LedgerAnswer,
  LedgerDay,
  LedgerOrder,
  LedgerSlot,
  LedgerSlots,
  OpenReservation,
  ReserveOrder,
  RunningTree,
} from '../ports/ledger.ts'
import { dollars, nanosOf, roomFor, type Spending } from './budget.ts'

/** Requests that take longer are rare, and others wait for them no longer. */
const longestRequest = 15 * 60_000
/** How long a slot lasts without being renewed. */
export const slotLease = 60_000
export const renewInterval = slotLease / 3
/**
 * At most this much time passes for slots between two orders. A tree that waits asks more often. After an outage, this leaves every slot
 * that was renewed in time longer than its process takes to renew it again: `slotLease - renewInterval - longestSilence`.
 */
const longestSilence = slotLease / 6

export const emptyDay: LedgerDay = { spent: {}, open: [] }
export const emptySlots: LedgerSlots = { held: [], waiting: [] }

export interface LedgerResult<State> {
  readonly state: State
  readonly answer: LedgerAnswer
}

export function applyToDay(day: LedgerDay, order: LedgerOrder): LedgerResult<LedgerDay> {
  switch (order.kind) {
    case 'reserve':
      return reserve(day, order)
    case 'settle': {
      const found = day.open.find(({ id }) => id === order.id)
      if (found === undefined) return { state: day, answer: { kind: 'done' } }
      const spent = { ...day.spent }
      for (const key of found.keys) {
        const before = spent[key] ?? { tokens: 0, nanos: 0 }
        spent[key] = { tokens: before.tokens + order.tokens, nanos: before.nanos + order.nanos }
      }
      return { state: { spent, open: day.open.filter((one) => one !== found) }, answer: { kind: 'done' } }
    }
    case 'list':
      return {
        state: day,
        answer: { kind: 'open', reservations: day.open.filter(({ root }) => root === order.root) },
      }
    default:
      throw new Error(`unreachable: ${order.kind} is not an order for a day`)
  }
}

function reserve(day: LedgerDay, order: ReserveOrder): LedgerResult<LedgerDay> {
  const known = day.open.find(({ id }) => id === order.id)
  if (known !== undefined) return { state: day, answer: { kind: 'reserved', output: known.output } }
  const { id, root, session, at, ceilings, input, price } = order
  let { output } = order
  let waitsFor: Ceiling | undefined
  for (const ceiling of ceilings) {
    const { settled, inFlight, count } = countOf(day, ceiling.key, at)
    const limit = { tokens: ceiling.tokens ?? Infinity, nanos: ceiling.nanos ?? Infinity }
    const wanted = { input, price }
    if (roomFor(limit, wanted, settled) < order.minOutput)
      return { state: day, answer: { kind: 'refused', reason: refusal(ceiling, settled, order) } }
    const room = roomFor(limit, wanted, sum(settled, inFlight))
    if (room < output && count > 0) waitsFor ??= ceiling
    output = Math.min(output, room)
  }
  if (waitsFor !== undefined)
    return {
      state: day,
      answer: { kind: 'waits', reason: `${waitsFor.setting} is reserved by requests in flight` },
    }
  const open: OpenReservation = {
    id,
    root,
    session,
    keys: ceilings.map(({ key }) => key),
    output,
    tokens: input + output,
    nanos: nanosOf({ input, output }, price),
    at,
  }
  return { state: { ...day, open: [...day.open, open] }, answer: { kind: 'reserved', output } }
}

type Amount = Pick<Spending, 'tokens' | 'nanos'>

function countOf(day: LedgerDay, key: string, at: number) {
  let settled: Amount = day.spent[key] ?? { tokens: 0, nanos: 0 }
  let inFlight: Amount = { tokens: 0, nanos: 0 }
  let count = 0
  for (const open of day.open) {
    if (!open.keys.includes(key)) continue
    if (at - open.at > longestRequest) settled = sum(settled, open)
    else {
      inFlight = sum(inFlight, open)
      count += 1
    }
  }
  return { settled, inFlight, count }
}

function sum(a: Amount, b: Amount): Amount {
  return { tokens: a.tokens + b.tokens, nanos: a.nanos + b.nanos }
}

function refusal(ceiling: Ceiling, spent: Amount, { input, minOutput, price }: ReserveOrder): string {
  const { setting, tokens = Infinity, nanos = Infinity } = ceiling
  const needed = input + minOutput
  const next =
    tokens - spent.tokens < needed
      ? `(${tokens} tokens a day) does not allow another request today: ${spent.tokens} tokens are spent, and the next request can use ${needed}`
      : `(${dollars(nanos)} a day) does not allow another request today: ${dollars(spent.nanos)} is spent, and the next request can cost ${dollars(nanosOf({ input, output: minOutput }, price))}`
  return `${setting} ${next}. Raise it in config.yaml or in the policy that sets it, or resume the session tomorrow (UTC)`
}

export function applyToSlots(slots: LedgerSlots, order: LedgerOrder, now: number): LedgerResult<LedgerSlots> {
  const before = seenIn(slots) ?? now
  const silence = Math.max(0, now - before - longestSilence)
  const alive = (some: readonly LedgerSlot[]) =>
    some.map((slot) => ({ ...slot, until: slot.until + silence })).filter(({ until }) => until > now)
  const { state, answer } = change({ held: alive(slots.held), waiting: alive(slots.waiting) }, order, now)
  // The clocks of two workers may differ.
  return { state: { ...state, seen: Math.max(before, now) }, answer }
}

function seenIn({ held, waiting, seen }: LedgerSlots): number | undefined {
  if (seen !== undefined || held.length + waiting.length === 0) return seen
  return Math.max(...[...held, ...waiting].map(({ until }) => until)) - slotLease
}

function change({ held, waiting }: LedgerSlots, order: LedgerOrder, now: number): LedgerResult<LedgerSlots> {
  const slotOf = ({ root, owner, limits }: RunningTree) => ({ root, owner, limits, until: now + slotLease })
  switch (order.kind) {
    case 'enter':
      return enter({ held, waiting }, slotOf(order))
    case 'renew': {
      const { owners, trees = [] } = order
      const next = held.map((slot) => (owners.includes(slot.owner) ? slotOf(slot) : slot))
      const isHeld = ({ root }: RunningTree) => next.some((slot) => slot.root === root)
      for (const tree of trees) if (!isHeld(tree)) next.push(slotOf(tree))
      const state = { held: next, waiting: waiting.filter((slot) => !isHeld(slot)) }
      return { state, answer: { kind: 'done' } }
    }
    case 'leave': {
      const others = ({ owner }: LedgerSlot) => owner !== order.owner
      return {
        state: { held: held.filter(others), waiting: waiting.filter(others) },
        answer: { kind: 'done' },
      }
    }
    default:
      throw new Error(`unreachable: ${order.kind} is not an order for slots`)
  }
}

/** Trees get slots in the order in which they asked. One whose place is full does not hold up those of other places. */
function enter({ held, waiting }: LedgerSlots, wanted: LedgerSlot): LedgerResult<LedgerSlots> {
  const isSame = ({ root }: LedgerSlot) => root === wanted.root
  if (held.some(isSame)) {
    const renewed = held.map((slot) => (isSame(slot) ? wanted : slot))
    return { state: { held: renewed, waiting }, answer: { kind: 'done' } }
  }
  const queue = waiting.some(isSame)
    ? waiting.map((slot) => (isSame(slot) ? wanted : slot))
    : [...waiting, wanted]
  const next = [...held]
  for (const slot of queue) {
    const full = fullLimit(next, slot)
    if (isSame(slot)) {
      if (full !== undefined)
        return { state: { held, waiting: queue }, answer: { kind: 'waits', reason: full } }
      return {
        state: { held: [...held, slot], waiting: queue.filter((one) => one !== slot) },
        answer: { kind: 'done' },
      }
    }
    if (full === undefined) next.push(slot)
  }
  throw new Error('unreachable: the tree is in the queue')
}

function fullLimit(held: readonly LedgerSlot[], { limits }: LedgerSlot): string | undefined {
  const { place, perPlace = Infinity, perHome = Infinity } = limits
  if (held.length >= perHome) return `limits.parallel.home (${perHome} trees) is reached`
  const here = held.filter((slot) => slot.limits.place === place).length
  return here >= perPlace ? `limits.parallel.place (${perPlace} trees) is reached` : undefined
}
