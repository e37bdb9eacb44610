import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openScenario, type Scenario } from '../daemon/scenario.ts'

const deaths = 20

/** Plays it through; the daemon dies at these moments, in milliseconds after it was ready, and is started again. */
async function play(scenario: Scenario, moments: readonly number[]): Promise<number> {
  const began = Date.now()
  let pid = await scenario.up()
  scenario.send()
  const acting = async (until: () => boolean) => {
    while (!until() && !scenario.isOver()) await scenario.decide()
  }
  for (const moment of moments) {
    let isDead = false
    const timer = setTimeout(() => {
      process.kill(pid, 'SIGKILL')
      isDead = true
    }, moment)
    await acting(() => isDead)
    clearTimeout(timer)
    if (!isDead) break
    // The system takes a moment to end it.
    while (isAlive(pid)) await delay(10)
    pid = await scenario.up()
  }
  await acting(() => false)
  const took = Date.now() - began
  await scenario.down()
  return took
}

function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

test('the daemon is killed at twenty random moments: the same files in the end, one message, one command', async () => {
  const quiet = await openScenario()
  const took = await play(quiet, [])
  const expected = quiet.outcome()
  expect(expected).toMatchObject({ runs: 1, sent: 1 })
  let killed = 0
  while (killed < deaths) {
    // One or two deaths in a life, anywhere in it.
    const moments = Array.from({ length: 1 + (killed % 2) }, () => Math.random() * took)
    const scenario = await openScenario()
    await play(scenario, moments)
    expect(scenario.outcome(), `killed after ${moments.map(Math.round).join(' and ')} ms`).toEqual(expected)
    killed += moments.length
  }
})
