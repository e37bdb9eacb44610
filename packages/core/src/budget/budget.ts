/**
 * Owns what a tree of sessions may still spend, and the requests that wait for it. Called by the model gateway for tokens and money,
 * and by the gate for calls.
 *
 * 1. spent + reserved never exceeds a ceiling: a reservation covers the whole request, its input and the longest reply.
 * 2. Every reservation is settled exactly once. Until then it counts in full, because its cost is unknown.
 * 3. A request that does not fit because of requests in flight waits in order. It is refused as soon as it could not fit even if
 *    nothing were in flight.
 * 4. A waiting request holds no reservation, so requests in flight always finish and there is no deadlock.
 */
import type { Budget } from '../ports/agent.ts'
import type { Model } from '../ports/model.ts'
import type { Usage } from '../ports/report.ts'
import type { Stoppable } from '../session/until-stopped.ts'

/** Money is an integer number of billionths of a dollar, rounded up, because sums of fractions would drift. */
export interface Spending {
  readonly tokens: number
  readonly nanos: number
  readonly calls: number
}

export const zeroSpending: Spending = { tokens: 0, nanos: 0, calls: 0 }

/** The most that a request can consume. */
export interface WantedReservation {
  /** An upper bound of its input tokens. */
  readonly input: number
  /** The longest useful reply, in tokens. */
  readonly output: number
  readonly price?: Model['price']
}

export type ReservationResult =
  | { readonly kind: 'reserved'; readonly reservation: Reservation }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'stopped' }

/** A reply with fewer tokens is not worth the cost of its input. */
export const minReplyTokens = 64

/** The budget of one session and everything below it. A budget above it applies as well. */
export class Account {
  readonly #ceiling: { readonly tokens: number; readonly nanos: number; readonly calls: number }
  readonly #owner: string
  readonly #parent: Account | undefined
  readonly #waiting: Waiting[]
  #spent: Spending
  #reserved: Spending = zeroSpending
  #inFlight = 0

  /** `spent`: what the session and everything below it has already spent. The accounts above include it. */
  constructor(ceiling: Budget, owner: string, parent?: Account, spent: Spending = zeroSpending) {
    const { tokens = Infinity, cost = Infinity, calls = Infinity } = ceiling
    this.#ceiling = { tokens, nanos: Math.floor(cost * 1e9), calls }
    this.#owner = owner
    this.#parent = parent
    this.#waiting = parent === undefined ? [] : parent.#waiting
    this.#spent = spent
  }

  /** True if this account or one above limits requests to a model. */
  get hasRequestLimit(): boolean {
    const { tokens, nanos } = this.#ceiling
    return tokens < Infinity || nanos < Infinity || (this.#parent?.hasRequestLimit ?? false)
  }

  /** True if this account or one above limits money. */
  get hasCostLimit(): boolean {
    return this.#ceiling.nanos < Infinity || (this.#parent?.hasCostLimit ?? false)
  }

  /** Waits until the request fits, and reserves it. Refuses it, with the reason, if it can never fit. */
  reserve(wanted: WantedReservation, until: Stoppable): Promise<ReservationResult> {
    if (until.isStopped) return Promise.resolve({ kind: 'stopped' })
    return new Promise((resolve) => {
      const waiting: Waiting = {
        account: this,
        wanted,
        resolve(reserved) {
          unlisten()
          resolve(reserved)
        },
      }
      const unlisten = until.onStop(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        waiting.resolve({ kind: 'stopped' })
        this.#admit()
      })
      this.#waiting.push(waiting)
      this.#admit()
    })
  }

  /** Returns the reason why this account or one above allows no further call, or `undefined` if a call is allowed. */
  refuseCall(): string | undefined {
    const { calls } = this.#ceiling
    if (this.#spent.calls >= calls) return `the budget of ${this.#owner} is used up (${calls} calls)`
    return this.#parent?.refuseCall()
  }

  countCall(): void {
    for (const account of this.#chain())
      account.#spent = addSpending(account.#spent, { ...zeroSpending, calls: 1 })
  }

  /** Admits waiting requests that fit, in order. A request does not overtake an earlier one that waits for the same account. */
  #admit(): void {
    const blocked = new Set<Account>()
    for (const waiting of [...this.#waiting]) {
      const { account, wanted, resolve } = waiting
      const chain = account.#chain()
      const fit = account.#fit(wanted)
      if (fit.kind === 'waits') blocked.add(fit.for)
      if (fit.kind === 'waits' || (fit.kind === 'fits' && chain.some((one) => blocked.has(one)))) continue
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      if (fit.kind === 'refused') resolve(fit)
      else resolve({ kind: 'reserved', reservation: account.#take(wanted, fit.output) })
    }
  }

  #fit(wanted: WantedReservation): Fit {
    const min = Math.min(minReplyTokens, wanted.output)
    let output = wanted.output
    let waitsFor: Account | undefined
    for (const account of this.#chain()) {
      if (roomFor(account.#ceiling, wanted, account.#spent) < min)
        return { kind: 'refused', reason: account.#refusal(wanted, min) }
      const room = roomFor(account.#ceiling, wanted, addSpending(account.#spent, account.#reserved))
      if (room < wanted.output && account.#inFlight > 0) waitsFor ??= account
      output = Math.min(output, room)
    }
    return waitsFor === undefined ? { kind: 'fits', output } : { kind: 'waits', for: waitsFor }
  }

  #take(wanted: WantedReservation, output: number): Reservation {
    const reservation = new Reservation(wanted, output, (spent) => {
      for (const account of this.#chain()) {
        account.#inFlight -= 1
        account.#reserved = addSpending(account.#reserved, max, -1)
        account.#spent = addSpending(account.#spent, spent)
      }
      this.#admit()
    })
    const { max } = reservation
    for (const account of this.#chain()) {
      account.#inFlight += 1
      account.#reserved = addSpending(account.#reserved, max)
    }
    return reservation
  }

  #refusal({ input, price }: WantedReservation, min: number): string {
    const { tokens, nanos } = this.#ceiling
    const needed = input + min
    if (tokens - this.#spent.tokens < needed)
      return `the budget of ${this.#owner} (${tokens} tokens) does not allow another request: ${this.#spent.tokens} tokens are spent, and the next request can use ${needed}. Raise the budget to continue`
    const cost = nanosOf({ input, output: min }, price)
    return `the budget of ${this.#owner} (${dollars(nanos)}) does not allow another request: ${dollars(this.#spent.nanos)} is spent, and the next request can cost ${dollars(cost)}. Raise the budget to continue`
  }

  #chain(): Account[] {
    const chain: Account[] = []
    for (let account: Account | undefined = this; account !== undefined; account = account.#parent)
      chain.push(account)
    return chain
  }
}

interface Waiting {
  readonly account: Account
  readonly wanted: WantedReservation
  resolve(reserved: ReservationResult): void
}

type Fit =
  | { readonly kind: 'fits'; readonly output: number }
  | { readonly kind: 'waits'; readonly for: Account }
  | { readonly kind: 'refused'; readonly reason: string }

/** Holds the most that a request can consume until its actual usage is known. */
export class Reservation {
  /** The limit on reply tokens that the request must send. */
  readonly output: number
  readonly max: Spending
  readonly #price: Model['price']
  #settle: ((spent: Spending) => void) | undefined

  constructor({ input, price }: WantedReservation, output: number, settle: (spent: Spending) => void) {
    this.output = output
    this.#price = price
    this.max = { tokens: input + output, nanos: nanosOf({ input, output }, price), calls: 0 }
    this.#settle = settle
  }

  /** Counts the actual usage, or the whole reservation when it is unknown. Returns the tokens beyond the reservation. Later calls do nothing. */
  settle(usage: Usage | undefined): number {
    return this.end(usage === undefined ? this.max : spendingFromUsage(usage, this.#price))
  }

  /** As `settle`, with the amount that counts. */
  end(spent: Spending): number {
    const settle = this.#settle
    if (settle === undefined) return 0
    this.#settle = undefined
    settle(spent)
    return Math.max(0, spent.tokens - this.max.tokens)
  }
}

/** Returns how many tokens are left for the reply after `gone` is subtracted from the ceiling. */
export function roomFor(
  ceiling: Pick<Spending, 'tokens' | 'nanos'>,
  { input, price }: Pick<WantedReservation, 'input'> & { readonly price?: Model['price'] | undefined },
  gone: Pick<Spending, 'tokens' | 'nanos'>,
): number {
  const tokens = ceiling.tokens - gone.tokens - input
  const nanos = ceiling.nanos - gone.nanos - (price === undefined ? 0 : input * price.input * 1000)
  if (price === undefined || nanos === Infinity) return tokens
  // Minus one, because the total is rounded up.
  const paid = price.output > 0 ? (nanos - 1) / (price.output * 1000) : nanos < 0 ? -1 : Infinity
  return Math.floor(Math.min(tokens, paid))
}

export function spendingFromUsage(usage: Usage, price?: Model['price']): Spending {
  return { tokens: usage.input + usage.output, nanos: nanosOf(usage, price), calls: 0 }
}

export function addSpending(a: Spending, b: Spending, times = 1): Spending {
  return {
    tokens: a.tokens + times * b.tokens,
    nanos: a.nanos + times * b.nanos,
    calls: a.calls + times * b.calls,
  }
}

/** Prices are dollars per million tokens, which is thousands of billionths per token. */
export function nanosOf({ input, output, cost }: Usage, price: Model['price']): number {
  if (cost !== undefined) return Math.ceil(cost * 1e9 - 1e-3)
  return price === undefined ? 0 : Math.ceil((input * price.input + output * price.output) * 1000 - 1e-3)
}

export function dollars(nanos: number): string {
  return `$${Number((nanos / 1e9).toFixed(6))}`
}
