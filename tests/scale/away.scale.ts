import type { Clock, Tool } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { call, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import { work } from '../engine/dialect-runs.ts'
import { countingTools } from '../engine/tools.ts'
import { hangingLook } from './support/hanging-look.ts'
import { newPlace, restAfter, startScaleWorker, toldBy, until } from './support/scale-worker.ts'

const hour = 3_600_000
const anHourLater: Clock = { ...systemClock, now: () => systemClock.now() + hour }

test('a worker that was away for an hour continues its tree, and the hour counts for no time limit', async () => {
  const place = newPlace()
  const agents = [{ name: 'lead' }, { name: 'worker' }]
  const lines = [call(['note', { text: 'a' }]), call(['look', { path: 'a' }])]
  const lanes = {
    // The last line answers the message if it arrives after the end.
    lead: [call(work('worker')), say('end'), say('end')],
    worker: [...lines, call(['reportOut', { report: 'built' }])],
  }
  const before = hangingLook()
  // By default, a delegation may take five minutes.
  const old = await startScaleWorker({ place, agents, lanes, tools: before.tools })
  await old.keeper.start({ agent: 'lead', work: 'do it', workspace: '/work', id: 'tree-1' })
  await until(() => before.count() === 1)
  await old.worker.close()
  // A person writes meanwhile. It is delivered when a worker is back.
  const told = old.keeper.tell('tree-1', { content: 'are you there?', message: 'm1' })

  // The same note, which can tell whether it took effect, and a read that ends.
  const [note, , look] = [...before.tools.slice(0, 2), ...countingTools().tools.slice(2)] as [
    Tool,
    Tool,
    Tool,
  ]
  const next = await startScaleWorker({
    place,
    port: old.worker.port,
    agents,
    lanes,
    tools: [note, look],
    // Its process was alive a moment ago, so the tree waits until it cannot act any more.
    worker: { fresh: 2_000 },
    clock: anHourLater,
  })
  const result = await restAfter(next.keeper, async () => next.keeper.watch('tree-1'))
  expect(result).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'end' } })
  expect(await told).toBe('queued')
  await until(async () => toldBy(await next.keeper.read('tree-1')).includes('are you there?'))
  expect(before.done).toEqual(['note a'])
  const lead = await next.keeper.read('tree-1')
  const times = (lead?.entries ?? []).map(({ timestamp }) => Date.parse(timestamp))
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThanOrEqual(hour)
  const [child] = (await next.keeper.sessions('tree-1')).filter((id) => id !== 'tree-1')
  expect(await next.keeper.read(child as string)).toMatchObject({
    status: 'completed',
    outcome: 'completed',
  })
})
