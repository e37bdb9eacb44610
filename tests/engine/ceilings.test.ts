import type { RunLimits } from '@cadre/core'
import { call, createFakeClock, createMemoryEngine, createTestTeam, say } from '@cadre/testing'
import { describe, expect, test } from 'vitest'
import { countingTools } from './tools.ts'
import { type World, worlds } from './worlds.ts'

const never = new AbortController().signal
const work = (agentName: string) =>
  ['delegateWork', { agentName, workDescription: 'w', reportExpectations: 'r' }] as const
const task = (more: object) =>
  ['delegate_task', { subagent_type: 'worker', prompt: 'p', wait_for_result: true, ...more }] as const
const look = call(['look', { path: 'a' }])
const looks = Array.from({ length: 30 }, () => look)
const contents = (team: ReturnType<typeof createTestTeam>, agent: string) =>
  team.models.requests
    .filter((request) => request.agent === agent)
    .at(-1)
    ?.messages.at(-1)?.content

describe('ceilings apply to a new run', () => {
  test('over what agents and calls request: rounds', async () => {
    const { tools } = countingTools()
    const team = createTestTeam({
      agents: [
        { name: 'lead', limits: { maxTurns: 50 } },
        { name: 'worker', limits: { maxTurns: 50 } },
      ],
      tools,
      ceilings: { maxRounds: 2 },
      limits: { maxRounds: 40 },
      lanes: { lead: [call(task({ max_turns: 40 })), look, look], worker: looks },
    })
    const report = await team.report({ agent: 'lead', maxRounds: 45 })
    expect(report).toMatchObject({ status: 'incomplete', notices: [{ code: 'max_rounds' }] })
    const count = (agent: string) => team.models.requests.filter((request) => request.agent === agent).length
    expect([count('lead'), count('worker')]).toEqual([2, 2])
  })

  test('over what agents and calls request: time', async () => {
    const clock = createFakeClock()
    const { tools } = countingTools()
    const team = createTestTeam({
      agents: [{ name: 'lead' }, { name: 'worker', limits: { timeoutSeconds: 3600 } }],
      tools,
      clock,
      ceilings: { timeLimit: 1_000 },
      lanes: {
        lead: [call(task({ timeout_seconds: 3600 })), say('done')],
        worker: [
          () => {
            queueMicrotask(() => clock.advance(1_000))
            return 'hang'
          },
        ],
      },
    })
    await team.report({ agent: 'lead' })
    expect(contents(team, 'lead')).toContain('exceeded the time limit of 1 seconds')
  })

  test('depth, sessions and budget', async () => {
    const { tools } = countingTools()
    const limited = async (ceilings: Partial<RunLimits>) => {
      const team = createTestTeam({
        agents: [{ name: 'lead' }, { name: 'worker' }],
        tools,
        limits: { depth: 5, sessions: 50, budget: { tokens: 1_000_000, calls: 100 } },
        ceilings,
        lanes: {
          lead: [call(work('worker')), say('done')],
          worker: [look, call(['reportOut', { report: 'r' }])],
        },
      })
      return { team, report: await team.report({ agent: 'lead' }) }
    }
    const shallow = await limited({ depth: 0 })
    expect(shallow.team.models.requests[0]?.tools.map(({ name }) => name)).not.toContain('delegateWork')
    expect(shallow.report.sessions).toBe(1)
    expect((await limited({ sessions: 1 })).report.sessions).toBe(1)
    expect((await limited({ budget: { tokens: 10 } })).report.notices?.[0]?.message).toContain('10 tokens')
    const { team } = await limited({ budget: { calls: 1 } })
    expect(contents(team, 'worker')).toContain('the budget of this run is used up (1 calls)')
  })
})

describe.each(worlds)('ceilings apply to a run that was started without them, on $name', ({ create }) => {
  async function stopped(world: World, lanes: Parameters<typeof createTestTeam>[0]['lanes'], at: string) {
    const { tools } = countingTools()
    const stop = new AbortController()
    const agents = [{ name: 'lead' }, { name: 'worker' }]
    const team = createTestTeam({
      agents,
      tools,
      clock: world.clock,
      engine: await world.open(),
      limits: { depth: 3, maxRounds: 30 },
      lanes,
      rules: [
        {
          by: 'hook',
          name: 'stops',
          immediate: true,
          judge({ tool }) {
            if (tool.name === at) stop.abort()
            return undefined
          },
        },
      ],
    })
    await team.run({ agent: 'lead' }, stop.signal)
    await world.close()
    return { agents, tools, clock: world.clock, engine: await world.open(), lanes }
  }

  test('rounds, at every depth', async () => {
    const world = create()
    const lanes = {
      lead: [call(work('worker')), look, look, look],
      worker: [call(['note', { text: 'n' }]), look, look, look],
    }
    const options = await stopped(world, lanes, 'note')
    const team = createTestTeam({ ...options, ceilings: { maxRounds: 2 } })
    const result = await team.orchestrator.resume('lead-1', { limits: { maxRounds: 99 } }, never)
    await world.dispose()
    expect(result).toMatchObject({ report: { status: 'incomplete', notices: [{ code: 'max_rounds' }] } })
    const rounds = (agent: string) =>
      Math.max(...team.models.requests.filter((request) => request.agent === agent).map(({ round }) => round))
    expect([rounds('lead'), rounds('worker')]).toEqual([2, 2])
  })

  test('depth, even if the resume requests more', async () => {
    const world = create()
    const lanes = {
      lead: [call(['note', { text: 'n' }]), call(work('worker')), say('alone')],
      worker: [say('never')],
    }
    const options = await stopped(world, lanes, 'note')
    const team = createTestTeam({ ...options, ceilings: { depth: 0 } })
    const result = await team.orchestrator.resume('lead-1', { limits: { depth: 9 } }, never)
    await world.dispose()
    expect(result).toMatchObject({ report: { status: 'completed', text: 'alone', sessions: 1 } })
    expect(contents(team, 'lead')).toContain('delegation depth limit reached (0')
  })

  test('budget', async () => {
    const world = create()
    const options = await stopped(world, { lead: [call(['note', { text: 'n' }]), say('more')] }, 'note')
    const team = createTestTeam({ ...options, ceilings: { budget: { tokens: 12 } } })
    const result = await team.orchestrator.resume(
      'lead-1',
      { limits: { budget: { tokens: 1_000_000 } } },
      never,
    )
    await world.dispose()
    expect(result).toMatchObject({ report: { status: 'incomplete', notices: [{ code: 'budget_exceeded' }] } })
  })

  test('a session that may no longer run is refused with the reason, at every depth, and the rest continues', async () => {
    const world = create()
    const lanes = { lead: [call(work('worker')), say('alone')], worker: [call(['note', { text: 'n' }])] }
    const options = await stopped(world, lanes, 'note')
    const notice = { code: 'policy', message: 'not any more' }
    const team = createTestTeam({
      ...options,
      refuse: ({ agent }) => (agent.name === 'worker' ? notice : undefined),
    })
    const result = await team.orchestrator.resume('lead-1', {}, never)
    expect(result).toMatchObject({ report: { status: 'completed', text: 'alone' } })
    expect(contents(team, 'lead')).toContain('worker failed: not any more')
    const all = createTestTeam({ ...options, refuse: () => notice })
    expect(await all.orchestrator.resume('lead-1', { work: 'again' }, never)).toMatchObject({
      report: { status: 'error', sessions: 0, notices: [notice] },
    })
    await world.dispose()
    expect(all.models.requests).toEqual([])
  })
})

test('invalid limits in a record do not lift a ceiling', async () => {
  const clock = createFakeClock()
  const engine = createMemoryEngine({ clock })
  const { tools } = countingTools()
  const options = {
    agents: [{ name: 'lead' }, { name: 'worker' }],
    tools,
    clock,
    engine,
    lanes: { lead: [say('one'), call(work('worker')), look, look, look, look], worker: [say('never')] },
  }
  await createTestTeam(options).report({ agent: 'lead' })
  const record = engine.records.sessions.get('lead-1') as { spec: { limits: object } }
  Object.assign(record.spec.limits, {
    maxRounds: Number.NaN,
    run: { depth: 'many', budget: { tokens: '9e9' } },
  })
  const team = createTestTeam({
    ...options,
    ceilings: { maxRounds: 3, depth: 0, budget: { tokens: 10_000 } },
  })
  const result = await team.orchestrator.resume('lead-1', { work: 'go on' }, never)
  expect(result).toMatchObject({
    report: { status: 'incomplete', sessions: 1, notices: [{ code: 'max_rounds' }] },
  })
})
