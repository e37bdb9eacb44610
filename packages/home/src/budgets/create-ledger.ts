import type { Ceiling, Ledger } from '@cadre/core'
import type { Config, DayBudgetSettings } from '../config/config.ts'

/** A ceiling in config.yaml, and the agents that it covers. */
export interface ConfiguredCeiling extends Ceiling {
  /** Absent: all agents. */
  readonly agents?: readonly string[]
}

/** The daily budgets in config.yaml. */
export function ceilingsIn({ budgets = {} }: Pick<Config, 'budgets'>): readonly ConfiguredCeiling[] {
  return [
    ...ceilingOf('day', 'budgets.day', budgets.day),
    ...Object.entries(budgets.agents ?? {}).flatMap(([name, budget]) =>
      ceilingOf(`agent:${name}`, `budgets.agents.${name}`, budget, [name]),
    ),
    ...Object.entries(budgets.teams ?? {}).flatMap(([name, team]) =>
      ceilingOf(`team:${name}`, `budgets.teams.${name}`, team, team.agents),
    ),
  ]
}

/**
 * The limits in config.yaml that all runs of the home share, or `undefined` if there are none. `place`: where this process runs trees. Like
 * an agent's own budget, the budget of an agent or a team also covers the sessions that it starts.
 */
export function createLedger(
  config: Pick<Config, 'budgets' | 'limits'>,
  change: Ledger['change'],
  place: string,
): Ledger | undefined {
  const { place: perPlace, home: perHome } = config.limits?.parallel ?? {}
  const isParallelLimited = perPlace !== undefined || perHome !== undefined
  const ceilings = ceilingsIn(config)
  if (ceilings.length === 0 && !isParallelLimited) return undefined
  return {
    hasCeilings: ceilings.length > 0,
    ceilings: ({ chain }) =>
      ceilings.flatMap(({ agents, ...ceiling }) =>
        agents === undefined || agents.some((name) => chain.includes(name)) ? [ceiling] : [],
      ),
    ...(isParallelLimited && {
      parallel: {
        place,
        ...(perPlace !== undefined && { perPlace }),
        ...(perHome !== undefined && { perHome }),
      },
    }),
    change,
  }
}

function ceilingOf(
  key: string,
  setting: string,
  { tokens, cost }: DayBudgetSettings = {},
  agents?: readonly string[],
): ConfiguredCeiling[] {
  if (tokens === undefined && cost === undefined) return []
  return [
    {
      key,
      setting,
      ...(tokens !== undefined && { tokens }),
      ...(cost !== undefined && { nanos: Math.floor(cost * 1e9) }),
      ...(agents && { agents }),
    },
  ]
}
