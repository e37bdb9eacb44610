import type { Reply } from '@cadre/core'
import { call, createTestTeam, say, type TestTeam, type TestTeamOptions } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { countingTools } from './tools.ts'
import { worlds } from './worlds.ts'

const never = new AbortController().signal
const note = (message: string, content = message) => ({ content, from: 'planner', message })

describe.each(worlds)('on $name', ({ create }) => {
  async function open(options: Omit<TestTeamOptions, 'engine' | 'clock'>): Promise<TestTeam> {
    const world = create()
    onTestFinished(() => world.dispose())
    return createTestTeam({ ...options, engine: await world.open(), clock: world.clock })
  }
  const said = async (team: TestTeam, session: string) =>
    ((await team.engine.read(session))?.entries ?? []).flatMap((entry) =>
      entry.role === 'user' ? [entry.content] : [],
    )

  test('messages during a run are delivered with the next round, in order, and before it ends', async () => {
    const told: Promise<boolean>[] = []
    const tell = (reply: Reply, ...ids: string[]) => {
      told.push(...ids.map((id) => team.orchestrator.tell('worker-7', note(id))))
      return reply
    }
    const team: TestTeam = await open({
      agents: [{ name: 'worker' }],
      lanes: {
        worker: [() => tell(say('Done?'), 'one', 'two'), () => tell(say('Two.'), 'three'), say('End.')],
      },
    })
    const report = await team.report({ agent: 'worker', id: 'worker-7' })
    expect(report.text).toBe('End.')
    expect(await Promise.all(told)).toEqual([true, true, true])
    expect(await said(team, 'worker-7')).toEqual(['do it', 'one', 'two', 'three'])
  })

  test('a message to a session that does not run here is not accepted', async () => {
    const team = await open({ agents: [{ name: 'worker' }], lanes: { worker: [say('End.')] } })
    expect(await team.orchestrator.tell('worker-7', note('one'))).toBe(false)
    await team.report({ agent: 'worker', id: 'worker-7' })
    expect(await team.orchestrator.tell('worker-7', note('one'))).toBe(false)
  })

  test('a message is delivered once per id, however often it is sent', async () => {
    const team = await open({
      agents: [{ name: 'worker' }],
      lanes: { worker: [say('Ready.'), say('Heard.'), say('Nothing new.')] },
    })
    await team.report({ agent: 'worker', id: 'worker-7' })
    await team.orchestrator.resume('worker-7', { work: note('one') }, never)
    await team.orchestrator.resume('worker-7', { work: note('one') }, never)
    expect(await said(team, 'worker-7')).toEqual(['do it', 'one'])
  })

  test('a duplicate id is refused, and the session that has it is unchanged', async () => {
    const team = await open({ agents: [{ name: 'worker' }], lanes: { worker: [say('End.')] } })
    await team.report({ agent: 'worker', id: 'worker-7' })
    await expect(team.report({ agent: 'worker', id: 'worker-7' })).rejects.toThrow(/already/)
    expect(await said(team, 'worker-7')).toEqual(['do it'])
  })

  test('everything shuts down where it is, and continues as if nothing had happened', async () => {
    const { tools, done } = countingTools()
    const lanes: TestTeamOptions['lanes'] = {
      lead: [
        call(['delegateWork', { agentName: 'worker', workDescription: 'w', reportExpectations: 'r' }]),
        say('All done.'),
      ],
      worker: [
        () => {
          teams[0]?.orchestrator.pause()
          return call(['note', { text: 'a' }])
        },
        call(['reportOut', { report: 'Written.' }]),
      ],
    }
    const world = create()
    onTestFinished(() => world.dispose())
    const teams: TestTeam[] = []
    const agents = [
      { name: 'lead', delegates: { kind: 'list' as const, names: ['worker'] } },
      { name: 'worker' },
    ]
    const openTeam = async () =>
      createTestTeam({ agents, tools, lanes, engine: await world.open(), clock: world.clock })
    teams.push(await openTeam())
    const rest = await teams[0]!.run({ agent: 'lead', id: 'lead-7' })
    expect(rest).toEqual({ kind: 'waiting', session: 'lead-7', questions: [] })
    const entries = (await teams[0]!.engine.read('lead-7'))?.entries ?? []
    expect(entries.some((entry) => entry.role === 'event' && entry.type === 'session.ended')).toBe(false)
    const next = await openTeam()
    const result = await next.orchestrator.resume('lead-7', {}, never)
    expect(result).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'All done.' } })
    expect(done).toEqual(['note a'])
  })

  test('one tree can be paused alone, and continues where it is resumed', async () => {
    let paused = false
    const team: TestTeam = await open({
      agents: [{ name: 'a' }, { name: 'b' }],
      tools: countingTools().tools,
      lanes: {
        a: [
          () => {
            if (!paused) team.orchestrator.pause({ root: 'a-1' })
            paused = true
            return call(['note', { text: 'a' }])
          },
          say('A is done.'),
        ],
        b: [
          async () => {
            while (!paused) await new Promise(setImmediate)
            return call(['note', { text: 'b' }])
          },
          say('B is done.'),
        ],
      },
    })
    const [a, b] = await Promise.all([
      team.run({ agent: 'a', id: 'a-1' }),
      team.run({ agent: 'b', id: 'b-1' }),
    ])
    expect(a).toEqual({ kind: 'waiting', session: 'a-1', questions: [] })
    expect(b).toMatchObject({ report: { text: 'B is done.' } })
    expect(await team.orchestrator.resume('a-1', {}, never)).toMatchObject({ report: { text: 'A is done.' } })
  })

  test('a pause between the record of a start and the call lets the call run, once', async () => {
    const { tools, done } = countingTools()
    const world = create()
    onTestFinished(() => world.dispose())
    let first: TestTeam | undefined
    const worker: TestTeamOptions['lanes'][string] = [
      () => {
        first?.orchestrator.pause()
        // It cannot be checked afterwards: if it were in doubt, a person would be asked.
        return call(['launch', { what: 'a' }])
      },
      say('Launched.'),
    ]
    const openTeam = async () =>
      createTestTeam({
        agents: [{ name: 'worker' }],
        tools,
        lanes: { worker },
        engine: await world.open(),
        clock: world.clock,
      })
    first = await openTeam()
    const rest = await first.run({ agent: 'worker', id: 'worker-7' })
    expect(rest).toEqual({ kind: 'waiting', session: 'worker-7', questions: [] })
    expect(done).toEqual(['launch a'])
    const next = await openTeam()
    const result = await next.orchestrator.resume('worker-7', {}, never)
    expect(result).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'Launched.' } })
    expect(done).toEqual(['launch a'])
  })

  test('a shutdown does not wait for an answer that does not come', async () => {
    const world = create()
    onTestFinished(() => world.dispose())
    let asked = () => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const openTeam = async (worker: TestTeamOptions['lanes'][string]) =>
      createTestTeam({
        agents: [{ name: 'worker' }],
        lanes: { worker },
        engine: await world.open(),
        clock: world.clock,
      })
    const first = await openTeam([
      () => {
        asked()
        return new Promise<never>(() => {})
      },
    ])
    const rest = first.run({ agent: 'worker', id: 'worker-7' })
    await isAsked
    first.orchestrator.pause({ breaksOff: true })
    expect(await rest).toEqual({ kind: 'waiting', session: 'worker-7', questions: [] })
    const next = await openTeam([say('Here it is.')])
    const result = await next.orchestrator.resume('worker-7', {}, never)
    expect(result).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'Here it is.' } })
    expect(await said(next, 'worker-7')).toEqual(['do it'])
  })
})
