import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@cadre/disk'
import { createFileEngine } from '@cadre/journal'
import { openTaskFiles } from '@cadre/tasks'
import { type Line, say, scriptedModels } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import { template, temporaryHome, until } from '../../packages/server/src/daemon/daemon.spec-helpers.ts'
import { amount } from '../support/amount.ts'
import { live } from './mortal-home.ts'
import { randomNumbers, workers, writeTasks } from './two-hundred.ts'

const count = amount({ usual: 40, deep: 200 })
const parallel = 6
const restarts = amount({ usual: 3, deep: 10 })

test(`${count} tasks over 8 agents: in order, in parallel up to the limit, and nothing lost through ${restarts} restarts`, async () => {
  const { home } = temporaryHome()
  const folder = home.path
  for (const name of workers) template(home, name)
  const random = randomNumbers(20_260_101)
  const planned = new Map(writeTasks(folder, count, random).map((task) => [task.id, task]))
  const tasks = openTaskFiles({ folder: join(folder, 'tasks') })
  const all = () => tasks.list().flatMap((file) => tasks.read(file).tasks)
  const faults: string[] = []
  let peak = 0
  let asked = 0

  /** Every life has its own model: that of a dead one never answers. */
  const born = async () => {
    let active = 0
    let isDead = false
    let isToDie = () => {}
    const dies = new Promise<void>((resolve) => {
      isToDie = resolve
    })
    let left = deaths < restarts ? 6 + random(12) : Number.POSITIVE_INFINITY
    const line: Line = async (request) => {
      asked += 1
      active += 1
      peak = Math.max(peak, active)
      if (active > parallel) faults.push(`${active} at once`)
      const work = request.messages[0]?.content ?? ''
      const id = /This is task (\S+) in/.exec(work)?.[1] ?? ''
      for (const needed of planned.get(id)?.dependsOn ?? []) {
        if (tasks.find(needed)?.task.state !== 'done') faults.push(`${id} before ${needed}`)
        if (!work.includes(`> ${needed} is done`)) faults.push(`${id} without the result of ${needed}`)
      }
      for (let turns = random(20); turns > 0; turns--) await new Promise(setImmediate)
      if (--left <= 0) isToDie()
      if (isDead) await new Promise(() => {})
      active -= 1
      return say(`${id} is done`)
    }
    const models = scriptedModels(Object.fromEntries(workers.map((name) => [name, [line]])))
    const life = await live({ home, models, parallel })
    return {
      dies,
      stop: life.stop,
      kill: () => {
        isDead = true
        return life.kill()
      },
    }
  }

  let deaths = 0
  for (; deaths < restarts; deaths++) {
    const life = await born()
    await life.dies
    await life.kill()
  }
  const last = await born()
  await until(() => all().every(({ state }) => state === 'done') || faults.length > 0)
  await last.stop()

  expect(faults).toEqual([])
  expect(peak).toBe(parallel)
  expect(all()).toHaveLength(count)
  const sessions = readdirSync(join(folder, 'sessions'))
  expect(sessions).toHaveLength(count)
  const engine = await createFileEngine({ home, clock: systemClock })
  onTestFinished(() => engine.close())
  for (const { id, fields } of all()) {
    expect(fields.get('result')).toBe(`${id} is done`)
    const stored = await engine.read(fields.get('session') ?? '')
    const said = stored?.entries.flatMap((entry) =>
      entry.role === 'user' || entry.role === 'assistant' ? [entry.role] : [],
    )
    expect([id, stored?.outcome, said]).toEqual([id, 'completed', ['user', 'assistant']])
  }
  // Only sessions that died before they had the answer are asked again.
  expect(asked).toBeLessThanOrEqual(count + restarts * parallel)
}, 600_000)
