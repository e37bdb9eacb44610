import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { randomFrom } from '../corpora/support/random.ts'
import { openScenario, type Scenario } from '../daemon/scenario.ts'
import { seed } from './seed.ts'
import { until } from './with-deadline.ts'

const deaths = 20

/** Plays the scenario; the daemon is killed at these times, in milliseconds after it was ready, and restarted. */
async function play(scenario: Scenario, moments: readonly number[]): Promise<number> {
  const began = Date.now()
  let pid = await scenario.up()
  scenario.send()
  const acting = (isEnough: () => boolean) =>
    until(
      async () => {
        if (isEnough() || scenario.isOver()) return true
        await scenario.decide()
        return false
      },
      () => `the message to be answered; ${stateOf(scenario)}`,
    )
  for (const moment of moments) {
    let isDead = false
    const timer = setTimeout(() => {
      process.kill(pid, 'SIGKILL')
      isDead = true
    }, moment)
    await acting(() => isDead)
    clearTimeout(timer)
    if (!isDead) break
    await until(
      () => !isAlive(pid),
      () => `process ${pid} to end after SIGKILL`,
    )
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

/** The state to print if a wait times out. */
function stateOf({ project }: Scenario): string {
  const files = [
    '.cadre/storage/daemon.log',
    '.cadre/tasks/redis-check.task.md',
    '.cadre/tasks/approvals.task.md',
  ]
  return files.map((file) => `${file}:\n${project.exists(file) ? project.read(file) : 'missing'}`).join('\n')
}

test('the daemon is killed at twenty random moments: the same final files, one message, one command', async () => {
  console.log(`seed ${seed}`)
  const random = randomFrom(seed)
  const quiet = await openScenario()
  const took = await play(quiet, [])
  const expected = quiet.outcome()
  expect(expected).toMatchObject({ runs: 1, sent: 1 })
  let killed = 0
  while (killed < deaths) {
    // One or two kills per life, at any time.
    const moments = Array.from({ length: 1 + (killed % 2) }, () => random.below(took))
    const scenario = await openScenario()
    await play(scenario, moments)
    expect(scenario.outcome(), `killed after ${moments.join(' and ')} ms`).toEqual(expected)
    killed += moments.length
  }
})
