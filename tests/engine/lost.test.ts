import {
  type CadreEvent,
  defineTool,
  type Engine,
  object,
  type Report,
  type SessionSpec,
  type Tool,
} from '@cadre/core'
import { call, createFakeClock, createMemoryEngine, createTestTeam, say } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { countingTools } from './tools.ts'
import { freezeClock, worlds } from './worlds.ts'

const never = new AbortController().signal
const isEnd = ({ type }: CadreEvent) => type === 'session.ended' || type === 'session.suspended'
const work = (agentName: string) =>
  ['delegateWork', { agentName, workDescription: 'x', reportExpectations: 'all' }] as const

/** A tool with an effect that runs until the test ends it, ignoring cancellation. */
function stubbornTool() {
  const done: string[] = []
  const ends: (() => void)[] = []
  let aborted = 0
  const tool = defineTool({
    name: 'press',
    description: 'Presses a button',
    class: 'execute',
    effect: 'execute',
    input: object({}),
    run: (_input, { session }, signal) => {
      signal.addEventListener('abort', () => (aborted += 1), { once: true })
      return new Promise((resolve) => {
        ends.push(() => {
          done.push(session)
          resolve({ content: 'pressed' })
        })
      })
    },
    // It sees only this machine.
    endLeftover: async () => 'none',
  })
  return {
    tool: tool as unknown as Tool,
    done,
    running: () => ends.length,
    aborted: () => aborted,
    end: (count = ends.length) => {
      for (const end of ends.splice(0, count)) end()
    },
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate)
}

/** Everything that can happen without the clock has happened. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
}

describe.each(worlds)('a life that is lost to another process, on $name', ({ create }) => {
  async function open(lanes: Parameters<typeof createTestTeam>[0]['lanes']) {
    freezeClock()
    const world = create()
    onTestFinished(() => world.dispose())
    const press = stubbornTool()
    const team = createTestTeam({
      agents: Object.keys(lanes).map((name) => ({ name })),
      lanes,
      limits: { concurrency: 2 },
      tools: [press.tool, ...countingTools().tools],
      clock: world.clock,
      engine: await world.open(),
    })
    const entries = async (id: string) => (await team.engine.read(id))?.entries ?? []
    return { world, press, team, entries }
  }

  test('stops tools and requests, records nothing and reports no end', async () => {
    let asked = 0
    const { world, press, team, entries } = await open({
      lead: [call(work('presser'), work('thinker'), work('queued')), say('ok')],
      presser: [call(['press', {}])],
      thinker: [
        () => {
          asked += 1
          return new Promise<never>(() => {})
        },
      ],
      queued: [say('never')],
    })
    const lives = team.run({ agent: 'lead' })
    const end = lives.catch((error: unknown) => error)
    await until(() => press.running() === 1 && asked === 1)
    const ids = ['lead-1', 'presser-2', 'thinker-3', 'queued-4']
    const before = await Promise.all(ids.map(entries))
    const told = team.events.length
    await world.lose('lead-1')
    await until(() => press.aborted() === 1)
    press.end()
    expect(await end).toMatchObject({ code: 'owned', message: expect.stringContaining('taken over') })
    expect(await Promise.all(ids.map(entries))).toEqual(before)
    expect(team.models.released).toContain('thinker-3')
    expect(team.events.slice(told).filter(isEnd)).toEqual([])
    expect(team.orchestrator.cancel('lead-1')).toBe(false)
  })

  test('prevents resuming the tree here until its tools have stopped', async () => {
    const { world, press, team } = await open({ lead: [call(['press', {}]), say('ok')] })
    const end = team.run({ agent: 'lead' }).catch((error: unknown) => error)
    await until(() => press.running() === 1)
    await world.lose('lead-1')
    await until(() => press.aborted() === 1)
    await expect(team.orchestrator.resume('lead-1', {}, never)).rejects.toMatchObject({ code: 'owned' })
    // It ignores the cancellation.
    world.clock.advance(5_000)
    expect(await end).toMatchObject({ code: 'owned' })
    press.end()
  })

  test('is waited for before its open calls are settled', async () => {
    const { world, press, team, entries } = await open({ lead: [call(['press', {}]), say('ok')] })
    const end = team.run({ agent: 'lead' }).catch((error: unknown) => error)
    await until(() => press.running() === 1)
    await world.lose('lead-1')
    press.end()
    await end
    expect(press.done).toEqual(['lead-1'])
    const next = team.orchestrator.resume('lead-1', {}, never)
    const isAsked = () => team.events.some(({ type }) => type === 'person.asked')
    const isResumed = (event: CadreEvent) => event.type === 'session.started' && event.resumed === true
    await until(() => team.events.some(isResumed))
    await settled()
    expect(isAsked()).toBe(false)
    while (!isAsked()) {
      world.clock.advance(1_000)
      await settled()
    }
    expect(await next).toMatchObject({ questions: [{ session: 'lead-1', name: 'doubt/call_1_0' }] })
    expect(JSON.stringify(await entries('lead-1'))).toContain(
      'press was interrupted and may have been carried out (it may still be running on another machine): {}',
    )
    await world.answer({ session: 'lead-1', name: 'doubt/call_1_0' }, { decision: 'done' })
    expect(await team.orchestrator.resume('lead-1', {}, never)).toMatchObject({ report: { text: 'ok' } })
    expect((await entries('lead-1')).filter(({ role }) => role === 'tool_result')).toHaveLength(1)
  })

  test('of a session that is about to end does not end it', async () => {
    let review: (() => void) | undefined
    freezeClock()
    const world = create()
    onTestFinished(() => world.dispose())
    const team = createTestTeam({
      agents: [{ name: 'lead' }],
      lanes: { lead: [say('ok')] },
      reviewers: [
        () =>
          new Promise((resolve) => {
            review = () => resolve({ kind: 'accept' })
          }),
      ],
      clock: world.clock,
      engine: await world.open(),
    })
    const end = team.run({ agent: 'lead' }).catch((error: unknown) => error)
    await until(() => review !== undefined)
    await world.lose('lead-1')
    review?.()
    expect(await end).toMatchObject({ code: 'owned' })
    expect(team.events.filter(isEnd)).toEqual([])
    expect((await team.engine.read('lead-1'))?.status).toBe('active')
  })
})

test('a lost life records nothing, even if its engine would allow it', async () => {
  const clock = createFakeClock()
  const inner = createMemoryEngine({ clock })
  const life = new AbortController()
  const engine: Engine = {
    ...inner,
    open: async (spec) => ({ ...(await inner.open(spec)), lost: life.signal }),
  }
  const press = stubbornTool()
  const lanes = {
    lead: [call(work('presser'), work('thinker')), say('ok')],
    presser: [call(['press', {}])],
    thinker: [
      async () => {
        await until(() => press.running() === 1)
        life.abort()
        return say('too late')
      },
    ],
  }
  const agents = Object.keys(lanes).map((name) => ({ name }))
  const team = createTestTeam({ agents, lanes, tools: [press.tool], clock, engine })
  const end = team.run({ agent: 'lead' }).catch((error: unknown) => error)
  await until(() => press.aborted() === 1)
  const count = () => [...inner.records.sessions.values()].map(({ entries }) => entries.length)
  const before = count()
  press.end()
  expect(await end).toMatchObject({ code: 'owned' })
  expect(count()).toEqual(before)
  expect(team.events.filter(isEnd)).toEqual([])
})

test('a life that is lost while its end is recorded reports no end', async () => {
  const clock = createFakeClock()
  const inner = createMemoryEngine({ clock })
  const life = new AbortController()
  const engine: Engine = {
    ...inner,
    async open(spec) {
      const run = await inner.open(spec)
      const step: typeof run.step = (name, ...rest) => {
        if (!name.startsWith('end/')) return run.step(name, ...rest)
        life.abort()
        return Promise.reject(new Error('refused by the server'))
      }
      return { ...run, lost: life.signal, step }
    },
  }
  const team = createTestTeam({ agents: [{ name: 'lead' }], lanes: { lead: [say('ok')] }, clock, engine })
  await expect(team.run({ agent: 'lead' })).rejects.toMatchObject({ code: 'owned' })
  expect(team.events.filter(isEnd)).toEqual([])
})

test('two lives of one session in one process do not remove each other', async () => {
  const clock = createFakeClock()
  const press = stubbornTool()
  const inner = createMemoryEngine({ clock })
  let runner: (spec: SessionSpec) => Promise<Report> = () => Promise.reject(new Error('not attached'))
  const lives: Promise<Report>[] = []
  const engine: Engine = {
    ...inner,
    attach(run) {
      runner = run
      inner.attach(run)
    },
    open: async (spec) => ({
      ...(await inner.open(spec)),
      spawn(child) {
        lives.push(runner(child), runner(child))
        return lives[1] as Promise<Report>
      },
    }),
  }
  const team = createTestTeam({
    agents: [{ name: 'lead' }, { name: 'worker' }],
    lanes: { lead: [call(work('worker')), say('ok')], worker: [call(['press', {}]), say('done')] },
    tools: [press.tool],
    clock,
    engine,
  })
  const end = team.run({ agent: 'lead' })
  await until(() => press.running() === 2)
  // The second life stays in its call.
  press.end(1)
  await until(() => team.models.requests.filter(({ agent }) => agent === 'worker').length === 4)
  await lives[0]
  expect(team.orchestrator.cancel('worker-2')).toBe(true)
  press.end()
  await end
})
