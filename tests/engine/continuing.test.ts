import type { Engine, Entry, Run } from '@cadre/core'
import { call, countingIds, createFakeClock, createMemoryEngine, createTestTeam, say } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { countingTools } from './tools.ts'
import { type World, worlds } from './worlds.ts'

const never = new AbortController().signal

function event(): { readonly happened: Promise<void>; happen(): void } {
  let happen: () => void = () => {}
  const happened = new Promise<void>((resolve) => {
    happen = resolve
  })
  return { happened, happen: () => happen() }
}

function isEnd(entry: Entry): boolean {
  return entry.role === 'event' && entry.type === 'session.ended'
}

/** An engine that dies before the step with this name: the step never returns, and nothing more is recorded. */
function crashingAt(engine: Engine, name: string): { readonly engine: Engine; readonly died: Promise<void> } {
  let die: () => void = () => {}
  const died = new Promise<void>((resolve) => {
    die = resolve
  })
  const wrap = (run: Run): Run => ({
    ...run,
    recorded: run.recorded,
    lost: run.lost,
    get alone() {
      return run.alone
    },
    step(step, work, options) {
      if (step !== name) return run.step(step, work, options)
      die()
      return new Promise(() => {})
    },
    end: (end) => run.end(end),
    spawn: (spec) => run.spawn(spec),
    waitFor: (question, signal) => run.waitFor(question, signal),
    changes: () => run.changes(),
  })
  return {
    engine: {
      attach: (runner) => engine.attach(runner),
      read: (id) => engine.read(id),
      open: async (spec) => wrap(await engine.open(spec)),
    },
    died,
  }
}

describe.each(worlds)('a session whose process died continues from its record, on $name', ({ create }) => {
  function open(): World {
    const world = create()
    onTestFinished(() => world.dispose())
    return world
  }

  test('a confirmed message is not lost', async () => {
    const world = open()
    const { tools } = countingTools()
    const look = (path: string) => call(['look', { path }])
    const lanes = { lead: [look('a'), look('b'), look('c'), say('done')] }
    const { engine, died } = crashingAt(await world.open(), 'reply/3')
    const agents = [{ name: 'lead' }]
    let told: Promise<boolean> | undefined
    const first = createTestTeam({
      agents,
      lanes,
      tools: tools.map((tool) => ({
        ...tool,
        run: (...given: Parameters<typeof tool.run>) => {
          told ??= first.orchestrator.tell('lead-1', { content: 'mind the gap' })
          return tool.run(...given)
        },
      })),
      clock: world.clock,
      engine,
    })
    void first.run({ agent: 'lead' })
    await died
    expect(await told).toBe(true)
    await world.close()

    const second = createTestTeam({ agents, lanes, tools, clock: world.clock, engine: await world.open() })
    expect(await second.orchestrator.resume('lead-1', {}, never)).toMatchObject({
      report: { status: 'completed' },
    })
    const messages = second.models.requests.at(-1)?.messages ?? []
    expect(messages.filter(({ content }) => content === 'mind the gap')).toHaveLength(1)
    const entries = (await second.engine.read('lead-1'))?.entries ?? []
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
  })

  test('a recorded reply stays, and is paid for, whatever a finished sibling has spent since', async () => {
    const world = open()
    const { done, tools } = countingTools()
    const work = (agentName: string) =>
      ['delegateWork', { agentName, workDescription: 'x', reportExpectations: 'all' }] as const
    const [noted, ended, died] = [event(), event(), event()]
    const lanes = {
      lead: [call(work('scout'), work('builder')), say('all done')],
      scout: [
        async () => {
          await noted.happened
          return { ...call(['reportOut', { report: 'expensive' }]), usage: { input: 110_000, output: 10 } }
        },
      ],
      builder: [call(['note', { text: 'one' }]), call(['reportOut', { report: 'built' }])],
    }
    const agents = [{ name: 'lead' }, { name: 'scout' }, { name: 'builder' }]
    const limits = { budget: { tokens: 100_000 } }
    const options = { agents, lanes, limits, model: { maxOutput: 40_000 }, clock: world.clock }
    const first = createTestTeam({
      ...options,
      engine: await world.open(),
      tools: tools.map((tool) => ({
        ...tool,
        async run(...given: Parameters<typeof tool.run>) {
          await tool.run(...given)
          noted.happen()
          await ended.happened
          died.happen()
          return new Promise<never>(() => {})
        },
      })),
    })
    void first.run({ agent: 'lead' })
    const isEnded = () => first.events.some(({ type }) => type === 'session.ended')
    while (!isEnded()) await new Promise(setImmediate)
    ended.happen()
    await died.happened
    await world.close()

    const second = createTestTeam({ ...options, tools, engine: await world.open() })
    await second.orchestrator.resume('lead-1', {}, never)
    expect(done).toEqual(['note one'])
    const builder = await second.engine.read('builder-3')
    expect(builder?.entries.map(({ role }) => role)).toContain('tool_result')
    expect(builder?.entries.findLast(isEnd)).toMatchObject({
      report: { status: 'incomplete', calls: 1, usage: { input: 10 } },
    })
  })

  test('the time limit of a delegation continues where it was', async () => {
    const world = open()
    const { tools } = countingTools()
    const prompt = { subagent_type: 'scout', prompt: 'x', wait_for_result: true, timeout_seconds: 100 }
    const slowly = (path: string) => () => {
      world.clock.advance(80_000)
      return call(['look', { path }])
    }
    const lanes = {
      lead: [call(['delegate_task', prompt]), say('all done')],
      scout: [slowly('a'), slowly('b'), say('found')],
    }
    const agents = [{ name: 'lead' }, { name: 'scout' }]
    const { engine, died } = crashingAt(await world.open(), 'reply/2')
    const first = createTestTeam({ agents, lanes, tools, clock: world.clock, engine })
    void first.run({ agent: 'lead' })
    await died
    await world.close()

    const second = createTestTeam({ agents, lanes, tools, clock: world.clock, engine: await world.open() })
    await second.orchestrator.resume('lead-1', {}, never)
    const result = (await second.engine.read('lead-1'))?.entries.find(({ role }) => role === 'tool_result')
    expect(result).toMatchObject({ code: 'timeout' })
  })
})

test('a child that an engine runs in another process counts, and can be read by its id', async () => {
  const clock = createFakeClock()
  const inner = createMemoryEngine({ clock })
  const elsewhere: string[] = []
  const engine: Engine = {
    ...inner,
    open: async (spec) => ({
      ...(await inner.open(spec)),
      async spawn(child) {
        elsewhere.push(child.id)
        const run = await inner.open(child)
        await run.step('begin', () => [{ role: 'user', content: child.work.content }])
        return {
          type: 'report',
          session: child.id,
          agent: child.agent.name,
          status: 'completed',
          text: 'found',
          model: child.model,
          usage: { input: 1, output: 1 },
          sessions: 3,
          calls: 0,
        }
      },
    }),
  }
  const work = ['delegate_task', { subagent_type: 'scout', prompt: 'x', wait_for_result: true }] as const
  const ids = countingIds()
  const team = createTestTeam({
    agents: [{ name: 'lead' }, { name: 'scout' }],
    lanes: { lead: [call(work), call(work), say('done')] },
    limits: { sessions: 4 },
    clock,
    engine,
    // The id contains the tree, so that an engine that stores trees finds the session.
    ids: { session: (agent, root) => [...(root === undefined ? [] : [root]), ids.session(agent)].join('.') },
  })
  expect(await team.report({ agent: 'lead' })).toMatchObject({ text: 'done', sessions: 4 })
  expect(elsewhere).toEqual(['lead-1.scout-2'])
  expect((await team.engine.read('lead-1.scout-2'))?.spec).toMatchObject({ root: 'lead-1' })
})
