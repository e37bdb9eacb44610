import type { Config, DayBudgetSettings } from '../config/config.ts'
import type { Policy } from '../policy/policy.ts'

type Shared = Pick<Config, 'budgets' | 'limits'>
type Team = DayBudgetSettings & { readonly agents: readonly string[] }

/** Lowers the daily budgets and the limits on running trees to those of the policy. The policy can add limits, but never raise one. */
export function withPolicyBudgets<Whole extends Shared>(config: Whole, policy: Policy): Whole {
  const { budgets, limits } = policy
  if (budgets === undefined && limits.parallel === undefined) return config
  const parallel = lowest(config.limits?.parallel, limits.parallel)
  return {
    ...config,
    budgets: combineBudgets(config.budgets, budgets),
    ...(parallel && { limits: { ...config.limits, parallel } }),
  }
}

/** The lowest of each budget. A team that both name covers the agents of both. */
export function combineBudgets(
  one: Config['budgets'] = {},
  other: Config['budgets'] = {},
): NonNullable<Config['budgets']> {
  const day = lowest(one.day, other.day)
  const agents = byName(one.agents, other.agents, (a, b) => lowest(a, b) ?? {})
  const teams = byName(one.teams, other.teams, (a, b) => ({
    ...lowest(withoutAgents(a), withoutAgents(b)),
    agents: [...new Set([...(a?.agents ?? []), ...(b?.agents ?? [])])],
  }))
  return { ...(day && { day }), ...(agents && { agents }), ...(teams && { teams }) }
}

function withoutAgents({ agents: _, ...budget }: Partial<Team> = {}): DayBudgetSettings {
  return budget
}

function byName<T>(
  one: { readonly [name: string]: T } | undefined,
  other: { readonly [name: string]: T } | undefined,
  combine: (a: T | undefined, b: T | undefined) => T,
): { readonly [name: string]: T } | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries([...names].map((name) => [name, combine(one[name], other[name])]))
}

/** The lowest number of each key. */
function lowest<T extends { readonly [key in keyof T]?: number }>(
  one: T | undefined,
  other: T | undefined,
): T | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const result: Record<string, number> = {}
  for (const [key, value] of [...Object.entries(one), ...Object.entries(other)] as [string, number][])
    result[key] = Math.min(value, result[key] ?? Number.POSITIVE_INFINITY)
  return result as T
}
