import { call, createTestTeam, say } from '@cadre/testing'
import { describe, expect, test } from 'vitest'
import { countingTools } from './tools.ts'
import { worlds } from './worlds.ts'

const never = new AbortController().signal
const same = call(['look', { path: 'x' }])
const other = call(['look', { path: 'y' }])
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)
const isStopped = { status: 'incomplete', notices: [{ code: 'identical_calls' }] }

function teamOf(lead: Parameters<typeof createTestTeam>[0]['lanes'][string], limits: object = {}) {
  const { tools } = countingTools()
  return createTestTeam({
    agents: [{ name: 'lead' }, { name: 'worker' }],
    tools,
    limits: { maxRounds: 100, ...limits },
    lanes: { lead, worker: [] },
  })
}

test('stops a session after 20 identical calls, and reports which', async () => {
  const report = await teamOf(times(20, same)).report({ agent: 'lead' })
  expect(report).toMatchObject(isStopped)
  expect(report.notices?.[0]?.message).toContain('20 identical calls of look in a row')
  expect(report.calls).toBe(20)
})

test('counts identical calls in one reply once', async () => {
  const both = call(['look', { path: 'x' }], ['look', { path: 'x' }])
  const run = (lead: Parameters<typeof teamOf>[0]) =>
    teamOf(lead, { identicalCalls: 3 }).report({ agent: 'lead' })
  expect(await run([...times(2, both), say('done')])).toMatchObject({ status: 'completed' })
  expect(await run(times(3, both))).toMatchObject(isStopped)
})

test.each([
  ['another input in between', [...times(3, same), other, ...times(3, same), say('done')], 4],
  ['one call fewer', [...times(3, same), say('done')], 4],
  ['the limit disabled', [...times(30, same), say('done')], 0],
])('does not stop with %s', async (_, lead, identicalCalls) => {
  expect(await teamOf(lead, { identicalCalls }).report({ agent: 'lead' })).toMatchObject({
    status: 'completed',
  })
})

test('does not stop when the outcome changes', async () => {
  const { tools } = countingTools()
  let count = 0
  const counter = {
    ...tools.find(({ name }) => name === 'look'),
    name: 'tick',
    run: async () => ({ content: String(count++) }),
  }
  const tick = call(['tick', { path: 'x' }])
  const team = createTestTeam({
    agents: [{ name: 'lead' }],
    tools: [counter as (typeof tools)[number]],
    limits: { identicalCalls: 2 },
    lanes: { lead: [tick, tick, tick, say('done')] },
  })
  expect(await team.report({ agent: 'lead' })).toMatchObject({ status: 'completed' })
})

describe.each(worlds)('on $name', ({ create }) => {
  test('continues counting after a resume; a person’s message resets it; a policy lowers 0', async () => {
    const world = create()
    const { tools } = countingTools()
    const options = { agents: [{ name: 'lead' }], tools, clock: world.clock }
    const stop = new AbortController()
    const lead = [
      same,
      same,
      () => {
        stop.abort()
        return 'hang' as const
      },
    ]
    const first = createTestTeam({ ...options, engine: await world.open(), lanes: { lead } })
    await first.run({ agent: 'lead' }, stop.signal)
    await world.close()
    const again = createTestTeam({
      ...options,
      engine: await world.open(),
      limits: { identicalCalls: 0 },
      ceilings: { identicalCalls: 3 },
      lanes: { lead: [same, same, same, say('done')] },
    })
    expect(await again.orchestrator.resume('lead-1', {}, never)).toMatchObject({ report: isStopped })
    expect(again.models.requests).toHaveLength(1)
    const told = await again.orchestrator.resume('lead-1', { work: 'Try again.' }, never)
    expect(told).toMatchObject({ report: { status: 'completed', text: 'done' } })
    await world.dispose()
  })

  test('a higher round limit continues a session that reached its limit, within the ceiling', async () => {
    const world = create()
    const { tools } = countingTools()
    const team = createTestTeam({
      agents: [{ name: 'lead' }],
      tools,
      clock: world.clock,
      engine: await world.open(),
      limits: { maxRounds: 2 },
      ceilings: { maxRounds: 4 },
      lanes: { lead: [same, other, same, other, say('done')] },
    })
    const rounds = async (options: object) => {
      const result = await team.orchestrator.resume('lead-1', options, never)
      return [team.models.requests.length, result.kind === 'report' && result.report.status]
    }
    expect(await team.report({ agent: 'lead' })).toMatchObject({ notices: [{ code: 'max_rounds' }] })
    expect(await rounds({})).toEqual([2, 'incomplete'])
    expect(await rounds({ maxRounds: 3 })).toEqual([3, 'incomplete'])
    expect(await rounds({ maxRounds: 50 })).toEqual([4, 'incomplete'])
    await world.dispose()
  })
})
