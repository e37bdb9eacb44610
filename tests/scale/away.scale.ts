import { call, createFakeClock, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import { work } from '../engine/dialect-runs.ts'
import { countingTools } from '../engine/tools.ts'
import { hangingLook } from './support/hanging-look.ts'
import { newPlace, restAfter, startScaleWorker, toldBy, until } from './support/scale-worker.ts'

const hour = 3_600_000

test('a worker that was away for an hour continues its tree, and the hour counts for no time limit', async () => {
  const place = newPlace()
  const agents = [{ name: 'lead' }, { name: 'worker' }]
  const lines = [call(['note', { text: 'a' }]), call(['look', { path: 'a' }])]
  const lanes = {
    lead: [call(work('worker')), say('end')],
    worker: [...lines, call(['reportOut', { report: 'built' }])],
  }
  const start = Date.UTC(2026, 0, 1)
  const before = hangingLook()
  // By default, a delegation may take five minutes.
  const old = await startScaleWorker({
    place,
    agents,
    lanes,
    tools: before.tools,
    clock: createFakeClock(start),
  })
  await old.keeper.start({ agent: 'lead', work: 'do it', workspace: '/work', id: 'tree-1' })
  await until(() => before.count() === 1)
  await old.worker.close()
  // A person writes meanwhile. It is delivered when a worker is back.
  const told = old.keeper.tell('tree-1', { content: 'are you there?', message: 'm1' })

  const after = countingTools()
  const next = await startScaleWorker({
    place,
    port: old.worker.port,
    agents,
    lanes,
    tools: after.tools,
    clock: createFakeClock(start + hour),
  })
  const result = await restAfter(next.keeper, async () => next.keeper.watch('tree-1'))
  expect(result).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'end' } })
  expect(await told).toBe('queued')
  await until(async () => toldBy(await next.keeper.read('tree-1')).includes('are you there?'))
  expect(before.done).toEqual(['note a'])
  expect(after.done).not.toContain('note a')
  const lead = await next.keeper.read('tree-1')
  const times = (lead?.entries ?? []).map(({ timestamp }) => Date.parse(timestamp))
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThanOrEqual(hour)
  const [child] = (await next.keeper.sessions('tree-1')).filter((id) => id !== 'tree-1')
  expect(await next.keeper.read(child as string)).toMatchObject({
    status: 'completed',
    outcome: 'completed',
  })
})
