import { expect, test } from 'vitest'
import { randomOf, runRandomTree } from '../engine/budget-trees.ts'
import { restateWorld } from './support/restate-world.ts'

const trees = 20

test(`${trees} random trees never exceed any budget, as the model's server counts it`, async () => {
  const seeds = randomOf(Number(process.env['CADRE_BUDGET_SEED'] ?? 7))
  let requests = 0
  let killed = 0
  for (let number = 1; number <= trees; number++) {
    const world = restateWorld()
    const seed = Math.floor(seeds() * 2 ** 32)
    const { overdrawn, counted, lives } = await runRandomTree(seed, world)
    await world.dispose()
    expect(overdrawn, `seed ${seed}`).toEqual([])
    requests += counted.requests
    if (lives > 1) killed += 1
  }
  // An engine on which nothing runs would also respect every budget.
  expect(requests).toBeGreaterThan(trees * 3)
  expect(killed).toBeGreaterThan(trees / 4)
})
