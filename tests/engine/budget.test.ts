import {
  type CadreEvent,
  type Engine,
  eventsOf,
  type Message,
  type ModelRequest,
  type RunLimits,
  type SessionSpec,
  spentIn,
} from '@cadre/core'
import {
  call,
  createFakeClock,
  createMemoryEngine,
  createTestTeam,
  fail,
  type Line,
  say,
} from '@cadre/testing'
import { describe, expect, test } from 'vitest'
import { Accounts } from '../../packages/core/src/budget/accounts.ts'
import { Account, type ReservationResult } from '../../packages/core/src/budget/budget.ts'
import { countingTools } from './tools.ts'
import { crashAt, worlds } from './worlds.ts'

const never = () => new AbortController().signal
const work = (agentName: string) =>
  ['delegateWork', { agentName, workDescription: 'w', reportExpectations: 'r' }] as const
const reported = call(['reportOut', { report: 'r' }])
const usage = (input: number, output: number) => ({ usage: { input, output } })

test('an account can be opened again after its journals could not be read', async () => {
  let isBroken = true
  const engine = {
    read: () => (isBroken ? Promise.reject(new Error('EIO')) : Promise.resolve(undefined)),
  } as unknown as Engine
  const accounts = new Accounts(engine, () => ({ tokens: 1_000 }))
  const spec = { id: 'a', root: 'a', agent: { name: 'solo' }, limits: {} } as SessionSpec
  accounts.hold(spec)
  await expect(accounts.of(spec)).rejects.toThrow('EIO')
  isBroken = false
  expect(await accounts.of(spec)).toBeInstanceOf(Account)
})

describe('an account', () => {
  const running = { isStopped: false, onStop: () => () => {} }
  const request = { input: 100, output: 400 }
  const taken = (reserved: ReservationResult) => {
    if (reserved.kind !== 'reserved') throw new Error(JSON.stringify(reserved))
    return reserved.reservation
  }

  test('admits waiting requests in order', async () => {
    const account = new Account({ tokens: 1_000 }, 'this run')
    const first = taken(await account.reserve(request, running))
    const second = taken(await account.reserve(request, running))
    const order: string[] = []
    const waits = (name: string, input: number) =>
      account.reserve({ input, output: 100 }, running).then((reserved) => {
        order.push(name)
        return taken(reserved)
      })
    const large = waits('large', 600)
    const small = waits('small', 1)
    await Promise.resolve()
    expect(order).toEqual([])
    // The small one would fit now, but it was not first.
    first.settle({ input: 50, output: 50 })
    await Promise.resolve()
    expect(order).toEqual([])
    second.settle({ input: 50, output: 50 })
    ;(await large).settle({ input: 600, output: 100 })
    expect((await small).output).toBe(99)
    expect(order).toEqual(['large', 'small'])
  })

  test('does not delay requests that wait for another budget', async () => {
    const run = new Account({ tokens: 100_000 }, 'this run')
    const tight = new Account({ tokens: 600 }, 'tight', run)
    taken(await tight.reserve(request, running))
    void tight.reserve(request, running)
    const other = new Account({ tokens: 600 }, 'other', run)
    expect((await other.reserve(request, running)).kind).toBe('reserved')
  })

  test('refuses immediately, with the reason, a request that could never fit', async () => {
    const account = new Account({ tokens: 1_000 }, 'this run')
    taken(await account.reserve(request, running))
    expect(await account.reserve({ input: 950, output: 400 }, running)).toEqual({
      kind: 'refused',
      reason:
        'the budget of this run (1000 tokens) does not allow another request: 0 tokens are spent, and the next request can use 1014. Raise the budget to continue',
    })
  })

  test('releases a waiting request that is stopped, and no other', async () => {
    const account = new Account({ tokens: 600 }, 'this run')
    const first = taken(await account.reserve(request, running))
    const stops: (() => void)[] = []
    const stoppable = {
      isStopped: false,
      onStop(stop: () => void) {
        stops.push(stop)
        return () => {}
      },
    }
    const stopped = account.reserve(request, stoppable)
    const next = account.reserve({ input: 10, output: 90 }, running)
    stops[0]?.()
    expect(await stopped).toEqual({ kind: 'stopped' })
    first.settle({ input: 100, output: 100 })
    expect((await next).kind).toBe('reserved')
  })

  test('counts a request of unknown usage in full, and only once', async () => {
    const account = new Account({ tokens: 1_000 }, 'this run')
    const first = taken(await account.reserve(request, running))
    first.settle(undefined)
    first.settle({ input: 1, output: 1 })
    const second = taken(await account.reserve({ input: 100, output: 4_000 }, running))
    expect(second.output).toBe(400)
  })

  test('limits a reply to the remaining money', async () => {
    const account = new Account({ cost: 1 }, 'this run')
    const price = { input: 1_000, output: 2_000 }
    const reservation = taken(await account.reserve({ input: 200, output: 1_000, price }, running))
    expect(reservation.output).toBe(399)
    reservation.settle(undefined)
    expect(await account.reserve({ input: 200, output: 1_000, price }, running)).toMatchObject({
      reason: expect.stringContaining('the budget of this run ($1) does not allow another request'),
    })
  })
})

describe('a budget', () => {
  const solo = (lanes: readonly Line[], limits: Partial<RunLimits>, more: object = {}) =>
    createTestTeam({
      agents: [{ name: 'solo' }],
      lanes: { solo: lanes },
      limits,
      tools: countingTools().tools,
      ...more,
    })

  test('limits the reply of every request, including summaries, but only under a budget', async () => {
    const look = { ...call(['look', { path: 'a', size: 2_900 }]), ...usage(0, 0) }
    const lanes = [look, look, look, look, look, say('done')]
    const team = solo(lanes, { budget: { tokens: 200_000 } }, { model: { window: 3_000, maxOutput: 700 } })
    expect((await team.report({ agent: 'solo' })).status).toBe('completed')
    expect(team.models.requests.filter(({ purpose }) => purpose === 'summary').length).toBeGreaterThan(0)
    expect(team.models.requests.map(({ maxOutput }) => maxOutput)).toEqual(
      team.models.requests.map(() => 700),
    )
    const free = solo(lanes, { budget: { calls: 100 } }, { model: { window: 3_000, maxOutput: 700 } })
    await free.report({ agent: 'solo' })
    expect(free.models.requests.every(({ maxOutput }) => maxOutput === undefined)).toBe(true)
  })

  test('counts the schemas of the tools as input', async () => {
    const team = solo([say('x')], { budget: { tokens: 2_000 } }, { model: { maxOutput: 100 } })
    expect(await team.report({ agent: 'solo' })).toMatchObject({
      status: 'incomplete',
      notices: [{ code: 'budget_exceeded', message: expect.stringContaining('0 tokens are spent') }],
    })
    const bare = solo([say('x')], { budget: { tokens: 2_000 } }, { model: { maxOutput: 100 }, tools: [] })
    expect((await bare.report({ agent: 'solo' })).status).toBe('completed')
  })

  test('makes a request wait for those in flight, and refuses only one that can never fit', async () => {
    const workers = 8
    let inFlight = 0
    let peak = 0
    const answer: Line = async () => {
      inFlight += 1
      peak = Math.max(peak, inFlight)
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
      inFlight -= 1
      return { ...reported, ...usage(300, 100) }
    }
    const team = createTestTeam({
      agents: [{ name: 'lead' }, { name: 'worker' }],
      model: { maxOutput: 1_000 },
      limits: { budget: { tokens: 12_000 } },
      lanes: {
        lead: [call(...Array.from({ length: workers }, () => work('worker'))), say('all of them')],
        worker: [answer],
      },
    })
    expect(await team.report({ agent: 'lead' })).toMatchObject({ status: 'completed', sessions: workers + 1 })
    expect(peak).toBeLessThan(workers)
    expect(peak).toBeGreaterThan(1)
  })

  test('refuses a backend that cannot limit a reply, or a model without a price, only under a budget that needs it', async () => {
    const refused = async (budget: object, model: object) =>
      (await solo([say('x')], { budget }, { model }).report({ agent: 'solo' })).notices?.[0]
    const uncapped = { capsReplies: false, price: { input: 1, output: 1 } }
    for (const budget of [{ tokens: 100_000 }, { cost: 100 }])
      expect(await refused(budget, uncapped)).toMatchObject({
        code: 'budget_exceeded',
        message: expect.stringContaining('Use another model, or remove the budget'),
      })
    expect(await refused({ calls: 10 }, uncapped)).toBeUndefined()
    expect(await refused({ cost: 100 }, {})).toMatchObject({
      message: expect.stringContaining('Set models["scripted"].price in config.yaml'),
    })
    expect(await refused({ tokens: 100_000 }, {})).toBeUndefined()
  })

  test('counts a failed request in full, unless the server reports its usage', async () => {
    const left = async (failure: Line) => {
      let tries = 0
      const lane: Line = (request) => (++tries === 1 ? (failure as never) : say(String(request.maxOutput)))
      const team = solo([lane], { budget: { tokens: 9_000 } }, { tools: [] })
      const { session } = await team.report({ agent: 'solo', plain: false })
      const result = await team.orchestrator.resume(session, {}, never())
      if (result.kind === 'waiting') throw new Error('waits')
      return result.report.status === 'completed'
        ? Number(result.report.text)
        : result.report.notices?.at(-1)?.code
    }
    expect(await left(fail('no idea'))).toBe('budget_exceeded')
    const refused = await left({ ...fail('no'), spent: 'nothing' })
    expect(refused).toBeGreaterThan(8_000)
    expect(await left({ ...fail('no'), spent: { input: 1_000, output: 1_000 } })).toBe(
      Number(refused) - 2_000,
    )
    expect(await left({ ...fail('no'), tooLong: true })).toBe(refused)
  })

  test('tells what it counts with each reply and at the end, live and from the journal', async () => {
    const { usage: _, ...look } = call(['look', { path: 'a', size: 10 }])
    const team = solo(
      [look, { ...call(['look', { path: 'b', size: 10 }]), ...usage(900, 100) }, fail('no idea')],
      {
        budget: { tokens: 90_000 },
      },
    )
    const { session } = await team.report({ agent: 'solo', plain: false })
    const counted = (events: readonly CadreEvent[]) =>
      events.flatMap((event) => ('spent' in event ? [event.spent?.tokens ?? 0] : []))
    const [first = 0, second = 0, end = 0] = counted(team.events)
    // The first reply has no usage, and the last request got no reply: both count with their reservations.
    expect(first).toBeGreaterThan(16_384)
    expect(second).toBe(first + 1_000)
    expect(end).toBeGreaterThan(second + 16_384)
    const stored = await team.engine.read(session)
    if (stored === undefined) throw new Error('no journal')
    expect(counted(eventsOf(stored))).toEqual([first, second, end])
    expect(spentIn(stored.entries)).toEqual({ tokens: end, cost: 0, calls: 2 })
  })

  test('records what a failed request cost, so that it counts after a crash', async () => {
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      model: { maxOutput: 500, price: { input: 2, output: 10 } },
      limits: { budget: { cost: 1 } },
      lanes: { solo: [{ ...fail('no'), spent: { input: 1_000, output: 1_000 } }] },
    })
    const { session } = await team.report({ agent: 'solo' })
    const stored = await team.engine.read(session)
    expect(spentIn(stored?.entries ?? [])).toEqual({ tokens: 2_000, cost: 0.012, calls: 0 })
  })

  test('reports a server that exceeds its limit, and counts the reported usage', async () => {
    const reply = { ...say('a lot'), ...usage(50_000, 10) }
    const team = solo([reply, say('more')], { budget: { tokens: 20_000 } })
    const report = await team.report({ agent: 'solo' })
    expect(report).toMatchObject({
      status: 'completed',
      notices: [{ code: 'budget_exceeded', message: expect.stringContaining('reports 50010 tokens') }],
    })
    const result = await team.orchestrator.resume(report.session, { work: 'go on' }, never())
    expect(result).toMatchObject({ report: { status: 'incomplete' } })
    expect(team.models.requests).toHaveLength(1)
  })

  test('is not lifted for a child that is continued after its run has ended', async () => {
    const team = createTestTeam({
      agents: [{ name: 'lead' }, { name: 'worker' }],
      model: { maxOutput: 500 },
      limits: { budget: { tokens: 5_600 } },
      lanes: {
        lead: [{ ...call(work('worker')), ...usage(3_000, 400) }, say('ok')],
        worker: [{ ...reported, ...usage(1_200, 400) }],
      },
    })
    await team.report({ agent: 'lead' })
    const before = team.models.requests.length
    const result = await team.orchestrator.resume('worker-2', { work: 'more' }, never())
    expect(result).toMatchObject({
      report: {
        status: 'incomplete',
        notices: [{ message: expect.stringContaining('the budget of this run (5600 tokens)') }],
      },
    })
    expect(team.models.requests).toHaveLength(before)
  })

  test('of calls applies to calls that wait for approval together', async () => {
    const { tools, done } = countingTools()
    const clock = createFakeClock()
    const team = createTestTeam({
      agents: [{ name: 'solo' }],
      tools,
      limits: { budget: { calls: 1 } },
      rules: [
        {
          by: 'approval',
          name: 'all',
          immediate: true,
          judge: ({ tool }) =>
            tool.effect === 'read' ? undefined : { kind: 'ask', by: 'approval', rule: 'all', reason: 'ask' },
        },
      ],
      lanes: {
        solo: [call(['note', { text: 'a' }], ['note', { text: 'b' }], ['note', { text: 'c' }]), say('done')],
      },
      clock,
      engine: createMemoryEngine({ clock, answer: () => ({ decision: 'approve' }) }),
    })
    expect(await team.report({ agent: 'solo' })).toMatchObject({
      status: 'completed',
      notices: [
        { code: 'budget', message: '2 calls were denied: the budget of this run is used up (1 calls)' },
      ],
    })
    expect(done).toHaveLength(1)
  })

  test.each([
    ['that waits', work('mid')],
    [
      'in the background',
      [
        'delegate_task',
        { description: 'd', prompt: 'p', subagent_type: 'mid', wait_for_result: false },
      ] as const,
    ],
  ])('of calls is in the reports of the session and all its ancestors: a child %s', async (_, delegation) => {
    const { tools } = countingTools()
    const note = ['note', { text: 'a' }] as const
    const team = createTestTeam({
      agents: [
        { name: 'lead', delegates: { kind: 'all' } },
        { name: 'mid', delegates: { kind: 'all' } },
        { name: 'worker', limits: { budget: { calls: 1 } } },
      ],
      tools,
      lanes: {
        lead: [call(delegation), say('waiting'), say('done')],
        mid: [call(work('worker')), call(['reportOut', { report: 'r' }]), say('done')],
        worker: [call(note, note, note), reported, say('done')],
      },
    })
    const reason = '2 calls were denied: the budget of worker is used up (1 calls)'
    const report = await team.report({ agent: 'lead' })
    expect(report.status).toBe('completed')
    expect(report.notices).toContainEqual({ code: 'budget', message: `mid: worker: ${reason}` })
  })

  test('of tokens that stops every child is in the report of a parent that completes', async () => {
    const team = createTestTeam({
      agents: [
        { name: 'lead', delegates: { kind: 'all' } },
        { name: 'worker', limits: { budget: { tokens: 100 } } },
      ],
      lanes: {
        lead: [call(work('worker'), work('worker')), say('done')],
        worker: [reported, reported],
      },
    })
    expect(await team.report({ agent: 'lead' })).toMatchObject({
      status: 'completed',
      notices: [
        { code: 'budget', message: expect.stringContaining('worker: the budget of worker (100 tokens)') },
      ],
    })
  })
})

describe.each(worlds)('on $name, requests in flight when the process died', ({ create }) => {
  test('count as spent, in a child and in its parent', async () => {
    const world = create()
    const options = {
      agents: [{ name: 'lead' }, { name: 'worker' }],
      clock: world.clock,
      model: { maxOutput: 3_000 },
      limits: { budget: { tokens: 9_000 } },
    }
    let sent: ModelRequest | undefined
    let killed = () => {}
    const died = new Promise<void>((resolve) => {
      killed = resolve
    })
    const { engine } = crashAt(await world.open(), Infinity)
    const first = createTestTeam({
      ...options,
      engine,
      lanes: {
        lead: [{ ...call(work('worker')), ...usage(900, 100) }],
        worker: [
          (request) => {
            sent = request
            killed()
            return 'hang'
          },
        ],
      },
    })
    // An engine that notices the end of its process rejects the run.
    first.run({ agent: 'lead' }).catch(() => {})
    await died
    await world.close()
    const limits: number[] = []
    const second = createTestTeam({
      ...options,
      engine: await world.open(),
      lanes: {
        lead: [say('never'), say('ok')],
        worker: [
          (request) => {
            limits.push(request.maxOutput ?? 0)
            return { ...reported, ...usage(700, 500) }
          },
        ],
      },
    })
    const result = await second.orchestrator.resume('lead-1', {}, never())
    await world.dispose()
    expect(result).toMatchObject({ kind: 'report' })
    expect(sent?.maxOutput).toBe(3_000)
    // 9,000, minus the first reply of the lead, minus the maximum of the worker's first request, minus its input now.
    const input = bytes(sent as ModelRequest)
    expect(limits).toEqual([9_000 - 1_000 - (input + 3_000) - input])
  })
})

/** The size of a request before a server has reported its usage. */
function bytes({ system, messages, tools }: ModelRequest): number {
  const ofMessage = ({ content }: Message) => 64 + Buffer.byteLength(content ?? '')
  const shown = messages.reduce((sum, message) => sum + ofMessage(message), 0)
  const offered = tools.length === 0 ? 0 : 640 + 64 * tools.length + Buffer.byteLength(JSON.stringify(tools))
  return 64 + Buffer.byteLength(system) + shown + offered
}
