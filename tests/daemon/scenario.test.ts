import { expect, test } from 'vitest'
import { openScenario } from './scenario.ts'

test('from a message to its answer, only through files and the command', { timeout: 120_000 }, async () => {
  const scenario = await openScenario()
  await scenario.up()
  try {
    scenario.send()
    while (!scenario.isOver()) await scenario.decide()
  } finally {
    await scenario.down()
  }
  expect(scenario.outcome()).toMatchObject({ runs: 1, sent: 1 })
  expect(scenario.outcome()).toMatchSnapshot()
})
