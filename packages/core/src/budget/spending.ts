import type { Engine } from '../ports/engine.ts'
import type { Entry, EventEntry } from '../ports/entry.ts'
import type { Usage } from '../ports/report.ts'
import { childrenOfStart } from '../session/children-of-start.ts'
import { add, nothingSpent, type Spending, spendingOfUsage } from './budget.ts'

/**
 * Returns what a session and everything below it has spent, according to the journals. This includes its children and the sessions of tasks
 * that it created. A request without an answer counts in full, because the server may have billed it.
 */
export async function spendingBelow(engine: Engine, id: string, accountRoot: string): Promise<Spending> {
  const charged = await sessionsChargedTo(engine, accountRoot)
  const seen = new Set<string>()
  const visit = async (session: string): Promise<Spending> => {
    if (seen.has(session)) return nothingSpent
    seen.add(session)
    const stored = await engine.read(session)
    if (stored === undefined) return nothingSpent
    let total = ownSpending(stored.entries)
    const below = [...childrenIn(stored.entries), ...(charged.get(session) ?? [])]
    for (const child of below) total = add(total, await visit(child))
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

/** The spending of the session alone, without sessions below it. */
function ownSpending(entries: readonly Entry[]): Spending {
  let total = nothingSpent
  let open: Spending | undefined
  /** Of tools, by call. */
  const reserved = new Map<string, Spending>()
  const delegations = new Set<string | undefined>()
  const answered = (usage: Usage | undefined) => {
    total = add(total, usage === undefined ? (open ?? nothingSpent) : spendingOfUsage(usage))
    open = undefined
  }
  for (const entry of entries) {
    if (entry.role === 'assistant' && !entry.earlier && (open || entry.usage)) answered(entry.usage)
    // Without reservations, only the result records what a tool spent. A delegation's usage is counted in its child.
    if (entry.role === 'tool_result' && entry.usage !== undefined) {
      const { tool_call_id: call } = entry
      if (!reserved.has(call) && !delegations.has(call)) total = add(total, spendingOfUsage(entry.usage))
    }
    if (entry.role !== 'event') continue
    const usage = entry['usage'] as Usage | undefined
    if (entry.type === 'call.started') {
      total = add(total, { ...nothingSpent, calls: 1 })
      if (childrenOfStart(entry).length > 0) delegations.add(entry.call)
    } else if (entry.type === 'tokens.reserved' || entry.type === 'tokens.settled') {
      const call = entry.call ?? ''
      const isNext = entry.type === 'tokens.reserved'
      total = add(
        total,
        isNext || usage === undefined ? (reserved.get(call) ?? nothingSpent) : spendingOfUsage(usage),
      )
      reserved.set(call, isNext ? reservedSpending(entry) : nothingSpent)
    } else if (entry.type === 'request.settled') answered(usage ?? { input: 0, output: 0 })
    else if (entry.type === 'context.compacted' && usage !== undefined) answered(usage)
    else if (entry.type === 'request.sent') {
      answered(undefined)
      open = reservedSpending(entry)
    }
  }
  answered(undefined)
  return [...reserved.values()].reduce((sum, one) => add(sum, one), total)
}

function reservedSpending(entry: EventEntry): Spending {
  const { input, output, cost } = entry as unknown as Usage
  return spendingOfUsage({ input: Number(input) || 0, output: Number(output) || 0, cost: Number(cost) || 0 })
}

function childrenIn(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) =>
    entry.role === 'event' && entry.type === 'call.started' ? childrenOfStart(entry) : [],
  )
}
