import type { StoredSession } from '@cadre/core'
import { openHome } from '@cadre/home'
import { createFileEngine } from '@cadre/journal'
import { expect, test } from 'vitest'
import { checkChatter } from '../engine/chatter.ts'
import { clock } from './effects.ts'
import { seed } from './seed.ts'
import { sweep } from './sweep.ts'
import { inFreshHome, victimsOf } from './victims.ts'

const victims = victimsOf('messages')

test('a team of five sends 1,000 messages while its process is killed ten times', async () => {
  const each = '200'
  const kills = 10
  const { points } = await inFreshHome((home) => victims.counted(home, ['run', each]))
  await inFreshHome(async (home) => {
    const started = performance.now()
    let killed = 0
    let next = seed >>> 0
    for (let life = 0; life < kills; life++) {
      next = (Math.imul(next, 1_664_525) + 1_013_904_223) >>> 0
      // A random point in this life's share of the run.
      const at = 1 + Math.floor(((0.2 + (1.6 * next) / 2 ** 32) * points) / (kills + 1))
      const end = await victims.killed(home, ['run', each], at)
      if (end.kind === 'killed') killed += 1
    }
    const end = await victims.alone(home, ['run', each])
    expect(end.report).toMatchObject({ status: 'completed', text: 'that was all' })
    const { messages, faults } = checkChatter(await sessionsIn(home))
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`seed ${seed}: ${messages} messages, ${killed} kills, ${points} points, ${seconds} s`)
    expect(faults).toEqual([])
    expect(messages).toBeGreaterThanOrEqual(1_000)
    expect(killed).toBe(kills)
  })
})

test('killed at every point, a team delivers each message once and in order', async () => {
  const { points, killed, faults } = await sweep(victims, {
    args: ['run', '2'],
    async check(home, play) {
      const end = await play(home, ['run', '2'])
      const { faults } = checkChatter(await sessionsIn(home))
      return end.report?.status === 'completed' ? faults : [JSON.stringify(end), ...faults]
    },
  })
  console.log(
    `seed ${seed}: messages of a team, ${points} points, ${killed} of them killed a process as well`,
  )
  expect(faults).toEqual([])
  expect(points).toBeGreaterThan(100)
})

async function sessionsIn(path: string): Promise<readonly StoredSession[]> {
  const engine = await createFileEngine({ home: openHome({ home: path, cwd: path, env: {} }), clock })
  try {
    const list = await engine.list()
    return await Promise.all(list.map(async ({ id }) => (await engine.read(id)) as StoredSession))
  } finally {
    await engine.close()
  }
}
