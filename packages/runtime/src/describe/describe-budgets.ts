import { dayOf } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { type Config, ceilingsIn, type Home, type Policy, withPolicyBudgets } from '@cadre/home'
import { openLedgerStore } from '../open-ledger-store.ts'

/** A daily budget, or a limit on running trees, and how much of it is used. */
export interface BudgetView {
  /** The setting, such as `budgets.day`. */
  readonly name: string
  readonly tokens?: { readonly limit: number; readonly spent: number; readonly reserved: number }
  /** US dollars. */
  readonly cost?: { readonly limit: number; readonly spent: number; readonly reserved: number }
  readonly trees?: { readonly limit: number; readonly running: number; readonly waiting: number }
}

/** The budgets and limits that all runs of a home share. Rejects if the server that keeps them does not answer. */
export async function describeBudgets(
  home: Home,
  settings: Config,
  policy: Policy,
): Promise<readonly BudgetView[]> {
  const config = withPolicyBudgets(settings, policy)
  const ceilings = ceilingsIn(config)
  const parallel = Object.entries(config.limits?.parallel ?? {}) as ['place' | 'home', number][]
  if (ceilings.length === 0 && parallel.length === 0) return []
  const store = openLedgerStore(home, config.engine)
  const day = ceilings.length === 0 ? undefined : await store.readDay(dayOf(systemClock.now()))
  const slots = parallel.length === 0 ? undefined : await store.readSlots()
  return [
    ...ceilings.map(({ key, setting, tokens, nanos }) => {
      const spent = day?.spent[key] ?? { tokens: 0, nanos: 0 }
      const open = day?.open.filter(({ keys }) => keys.includes(key)) ?? []
      const reserved = (of: 'tokens' | 'nanos') => open.reduce((sum, one) => sum + one[of], 0)
      return {
        name: setting,
        ...(tokens !== undefined && {
          tokens: { limit: tokens, spent: spent.tokens, reserved: reserved('tokens') },
        }),
        ...(nanos !== undefined && {
          cost: { limit: nanos / 1e9, spent: spent.nanos / 1e9, reserved: reserved('nanos') / 1e9 },
        }),
      }
    }),
    ...parallel.map(([scope, limit]) => {
      const now = systemClock.now()
      const isCounted = (slot: { readonly until: number; readonly limits: { readonly place: string } }) =>
        slot.until > now && (scope === 'home' || slot.limits.place === (config.engine?.place ?? 'here'))
      return {
        name: `limits.parallel.${scope}`,
        trees: {
          limit,
          running: slots?.held.filter(isCounted).length ?? 0,
          waiting: slots?.waiting.filter(isCounted).length ?? 0,
        },
      }
    }),
  ]
}

/** One line for people. */
export function budgetLine({ name, tokens, cost, trees }: BudgetView): string {
  const parts = [
    ...(tokens
      ? [`${tokens.spent} of ${tokens.limit} tokens spent today${inFlight(`${tokens.reserved}`, tokens)}`]
      : []),
    ...(cost
      ? [`$${round(cost.spent)} of $${cost.limit} spent today${inFlight(`$${round(cost.reserved)}`, cost)}`]
      : []),
    ...(trees
      ? [
          `${trees.running} of ${trees.limit} trees are running${trees.waiting > 0 ? `, ${trees.waiting} waiting` : ''}`,
        ]
      : []),
  ]
  return `${name}: ${parts.join('; ')}`
}

function inFlight(amount: string, { reserved }: { readonly reserved: number }): string {
  return reserved === 0 ? '' : `, ${amount} reserved`
}

function round(dollars: number): number {
  return Number(dollars.toFixed(4))
}
