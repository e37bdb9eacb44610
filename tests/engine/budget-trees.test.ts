import { expect, test } from 'vitest'
import { amount } from '../support/amount.ts'
import { randomOf, runRandomTree, type TreeResult } from './budget-trees.ts'
import { fileWorld, memoryWorld } from './worlds.ts'

/**
 * `CADRE_BUDGET_TREES=1000 npx vitest run tests/engine/budget-trees.test.ts` runs more of them, with another seed if one is
 * given.
 */
const trees = Number(process.env['CADRE_BUDGET_TREES'] ?? amount({ usual: 25, deep: 400 }))
const seeds = randomOf(Number(process.env['CADRE_BUDGET_SEED'] ?? 20_261_116))

test(`${trees} random trees never exceed any budget, as the model's server counts it`, {
  timeout: 600_000,
}, async () => {
  const results: TreeResult[] = []
  for (let number = 1; number <= trees; number++) {
    const world = number % 10 === 0 ? fileWorld() : memoryWorld()
    const seed = Math.floor(seeds() * 2 ** 32)
    const result = await runRandomTree(seed, world)
    await world.dispose()
    expect(result.overdrawn, `seed ${seed}, on ${world.name}`).toEqual([])
    results.push(result)
  }
  const sum = (of: (result: TreeResult) => number) => results.reduce((all, one) => all + of(one), 0)
  const figures = {
    trees: results.length,
    sessions: sum(({ sessions }) => sessions),
    requests: sum(({ counted }) => counted.requests),
    killed: results.filter(({ lives }) => lives > 1).length,
    summaries: sum(({ events }) => events.summaries),
    retries: sum(({ events }) => events.retries),
    tasks: sum(({ events }) => events.tasks),
    endedByBudget: results.filter(({ isEndedByBudget }) => isEndedByBudget).length,
    tokensSpentOfBudget: share(results),
  }
  if (process.env['CADRE_BUDGET_TREES'] !== undefined) console.log(figures)
  // A gateway that lets nothing through would also respect every budget.
  expect(figures.requests).toBeGreaterThan(trees * 3)
  expect(figures.killed).toBeGreaterThan(trees / 4)
  expect(figures.endedByBudget).toBeGreaterThan(trees / 4)
  expect(figures.summaries).toBeGreaterThan(0)
  expect(figures.retries).toBeGreaterThan(0)
  expect(figures.tasks).toBeGreaterThan(0)
})

/** For runs that ended at their token budget: how much of it they used. */
function share(results: readonly TreeResult[]): number {
  const ended = results.filter(
    ({ isEndedByBudget, budget }) => isEndedByBudget && budget.tokens !== undefined,
  )
  const used = ended.map(({ counted, budget }) => counted.tokens / (budget.tokens as number))
  return used.reduce((sum, one) => sum + one, 0) / Math.max(1, used.length)
}
