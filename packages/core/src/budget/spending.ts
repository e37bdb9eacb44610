import type { Engine } from '../ports/engine.ts'
import type { Entry, EventEntry } from '../ports/entry.ts'
import type { SpentBudget, Usage } from '../ports/report.ts'
import { startedSessions } from '../session/started-sessions.ts'
import { addSpending, type Spending, spendingFromUsage, zeroSpending } from './budget.ts'

/**
 * Returns what a session and everything below it has spent, according to the journals. This includes its children and the sessions of tasks
 * that it created. A request without an answer counts in full, because the server may have billed it.
 */
export async function spendingInSubtree(engine: Engine, id: string, accountRoot: string): Promise<Spending> {
  const charged = await sessionsChargedTo(engine, accountRoot)
  const seen = new Set<string>()
  const visit = async (session: string): Promise<Spending> => {
    if (seen.has(session)) return zeroSpending
    seen.add(session)
    const stored = await engine.read(session)
    if (stored === undefined) return zeroSpending
    let total = ownSpending(stored.entries)
    const below = [...childrenIn(stored.entries), ...(charged.get(session) ?? [])]
    for (const child of below) total = addSpending(total, await visit(child))
    return total
  }
  return visit(id)
}

/** Sessions of tasks, by the session that created the task. */
async function sessionsChargedTo(
  engine: Engine,
  root: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const by = new Map<string, string[]>()
  for (const id of (await engine.charged?.(root)) ?? []) {
    const creator = (await engine.read(id))?.spec.limits.charged?.session
    if (creator !== undefined) by.set(creator, [...(by.get(creator) ?? []), id])
  }
  return by
}

/** What a session alone has spent, without sessions below it: a fold over its entries. */
export class SpendingCount {
  #total = zeroSpending
  /** The request without an answer. */
  #open: Spending | undefined
  /** Of tools, by call. */
  readonly #reserved = new Map<string, Spending>()
  readonly #delegations = new Set<string | undefined>()
  #isMetered = false

  /** A request without an answer counts in full. */
  get spent(): Spending {
    const total = addSpending(this.#total, this.#open ?? zeroSpending)
    return [...this.#reserved.values()].reduce((sum, one) => addSpending(sum, one), total)
  }

  /** What the budget counts, if a budget has limited a request. Without one, the usage of the replies is everything that is known. */
  get charged(): SpentBudget | undefined {
    return this.#isMetered ? inDollars(this.spent) : undefined
  }

  apply(entry: Entry): void {
    if (entry.role === 'assistant' && !entry.earlier && (this.#open || entry.usage))
      this.#answered(entry.usage)
    // Without reservations, only the result records what a tool spent. A delegation's usage is counted in its child.
    if (entry.role === 'tool_result' && entry.usage !== undefined) {
      const { tool_call_id: call } = entry
      if (!this.#reserved.has(call) && !this.#delegations.has(call)) this.#add(spendingFromUsage(entry.usage))
    }
    if (entry.role !== 'event') return
    const usage = entry['usage'] as Usage | undefined
    if (entry.type === 'call.started') {
      this.#add({ ...zeroSpending, calls: 1 })
      if (startedSessions(entry).length > 0) this.#delegations.add(entry.call)
    } else if (entry.type === 'tokens.reserved' || entry.type === 'tokens.settled') {
      const call = entry.call ?? ''
      const isNext = entry.type === 'tokens.reserved'
      const before = this.#reserved.get(call) ?? zeroSpending
      this.#add(isNext || usage === undefined ? before : spendingFromUsage(usage))
      this.#reserved.set(call, isNext ? reservedSpending(entry) : zeroSpending)
      this.#isMetered = true
    } else if (entry.type === 'request.settled') this.#answered(usage ?? { input: 0, output: 0 })
    else if (entry.type === 'context.compacted' && usage !== undefined) this.#answered(usage)
    else if (entry.type === 'request.sent') {
      this.#answered(undefined)
      this.#open = reservedSpending(entry)
      this.#isMetered = true
    }
  }

  #answered(usage: Usage | undefined): void {
    this.#add(usage === undefined ? (this.#open ?? zeroSpending) : spendingFromUsage(usage))
    this.#open = undefined
  }

  #add(spending: Spending): void {
    this.#total = addSpending(this.#total, spending)
  }
}

/** What the budget counts of this session alone, according to its journal. */
export function spentIn(entries: readonly Entry[]): SpentBudget {
  return inDollars(ownSpending(entries))
}

function ownSpending(entries: readonly Entry[]): Spending {
  const count = new SpendingCount()
  for (const entry of entries) count.apply(entry)
  return count.spent
}

function inDollars({ tokens, nanos, calls }: Spending): SpentBudget {
  return { tokens, cost: nanos / 1e9, calls }
}

function reservedSpending(entry: EventEntry): Spending {
  const { input, output, cost } = entry as unknown as Usage
  return spendingFromUsage({
    input: Number(input) || 0,
    output: Number(output) || 0,
    cost: Number(cost) || 0,
  })
}

function childrenIn(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) =>
    entry.role === 'event' && entry.type === 'call.started' ? startedSessions(entry) : [],
  )
}
