import type { QuestionId, RunResult, SessionSpec } from '@cadre/core'
import { endStoredSession } from '@cadre/runtime'
import { call, createTestTeam, say } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { countingTools } from './tools.ts'
import { worlds } from './worlds.ts'

const never = new AbortController().signal

const asks = {
  by: 'approval',
  name: 'asks',
  judge: ({ tool }: { tool: { effect: string } }) =>
    tool.effect === 'execute'
      ? ({ kind: 'ask', by: 'approval', rule: 'commands', reason: 'it runs something' } as const)
      : undefined,
} as const

async function questionsOf(running: RunResult | Promise<RunResult>): Promise<readonly QuestionId[]> {
  const result = await running
  if (result.kind !== 'waiting') throw new Error(JSON.stringify(result))
  return result.questions
}

describe.each(worlds)('on $name', ({ create }) => {
  test('questions of two children with the same name are distinguished and answered one by one', async () => {
    const world = create()
    onTestFinished(() => world.dispose())
    const { done, tools } = countingTools()
    const work = (agentName: string) =>
      ['delegateWork', { agentName, workDescription: 'x', reportExpectations: 'all' }] as const
    const launches = (what: string) => [call(['launch', { what }]), call(['reportOut', { report: what }])]
    const team = createTestTeam({
      agents: [{ name: 'lead' }, { name: 'a' }, { name: 'b' }],
      lanes: { lead: [call(work('a'), work('b')), say('ok')], a: launches('one'), b: launches('two') },
      tools,
      rules: [asks],
      clock: world.clock,
      engine: await world.open(),
    })
    const first = await team.run({ agent: 'lead' })
    const name = 'approval/call_1_0'
    expect(first).toEqual({
      kind: 'waiting',
      session: 'lead-1',
      questions: [
        { session: 'a-2', name },
        { session: 'b-3', name },
      ],
    })
    await world.answer({ session: 'b-3', name }, { decision: 'approve' })
    expect(await team.orchestrator.resume('lead-1', {}, never)).toMatchObject({
      questions: [{ session: 'a-2', name }],
    })
    expect(done).toEqual(['launch two'])
    // While they wait for a person, a backend keeps no state for them.
    expect([...team.models.released].sort()).toEqual(['a-2', 'a-2', 'b-3', 'b-3', 'lead-1', 'lead-1'])
    expect(team.models.requests.map(({ parent }) => parent)).toEqual([
      undefined,
      'lead-1',
      'lead-1',
      'lead-1',
    ])
    await world.answer({ session: 'a-2', name }, { decision: 'approve' })
    expect(await team.orchestrator.resume('lead-1', {}, never)).toMatchObject({ kind: 'report' })
    expect(done).toEqual(['launch two', 'launch one'])
  })

  test.each(['waits', 'was cancelled'])(
    'resuming a child that a message has woken continues it without its run, which %s',
    async (state) => {
      const world = create()
      onTestFinished(() => world.dispose())
      const { done, tools } = countingTools()
      const report = call(['reportOut', { report: 'built' }])
      const more = state === 'waits' ? [] : [report]
      const engine = await world.open()
      const team = createTestTeam({
        agents: [{ name: 'lead' }, { name: 'a' }],
        lanes: {
          lead: [
            call(['delegateWork', { agentName: 'a', workDescription: 'x', reportExpectations: 'all' }]),
            call(['launch', { what: 'rocket' }]),
            say('ok'),
          ],
          a: [report, call(['launch', { what: 'kite' }]), report, ...more],
        },
        tools,
        rules: [asks],
        clock: world.clock,
        engine,
      })
      const first = await team.run({ agent: 'lead' })
      const stored = await engine.read('lead-1')
      if (state !== 'waits' && stored !== undefined) await endStoredSession(engine, stored, 'not needed')
      const [question] = await questionsOf(team.orchestrator.resume('a-2', { work: 'launch it' }, never))
      expect(question?.session).toBe('a-2')
      await world.answer(question as QuestionId, { decision: 'approve' })
      expect(await team.orchestrator.resume('a-2', {}, never)).toMatchObject({
        report: { session: 'a-2', status: 'completed' },
      })
      expect(done).toEqual(['launch kite'])
      if (state !== 'waits') {
        // A person adds a message to its record.
        const run = await engine.open((await engine.read('a-2'))?.spec as SessionSpec)
        await run.step('edit', () => [{ role: 'user', content: 'one more thing' }])
        await run.end({ kind: 'ended', outcome: 'completed' })
        expect(await team.orchestrator.resume('a-2', {}, never)).toMatchObject({ report: { session: 'a-2' } })
        return expect((await engine.read('lead-1'))?.outcome).toBe('cancelled')
      }
      const [ofRun] = await questionsOf(first)
      await world.answer(ofRun as QuestionId, { decision: 'approve' })
      // A child that has ended belongs to its run.
      expect(await team.orchestrator.resume('a-2', {}, never)).toMatchObject({ report: { text: 'ok' } })
    },
  )

  test('resuming a session below a child of a finished run continues the child, which waits for it', async () => {
    const world = create()
    onTestFinished(() => world.dispose())
    const { done, tools } = countingTools()
    const work = (agentName: string) =>
      call(['delegateWork', { agentName, workDescription: 'x', reportExpectations: 'all' }])
    const report = call(['reportOut', { report: 'built' }])
    const team = createTestTeam({
      agents: [{ name: 'lead' }, { name: 'chief', delegates: { kind: 'all' } }, { name: 'a' }],
      lanes: {
        lead: [work('chief'), say('ok')],
        chief: [report, work('a'), report],
        a: [call(['launch', { what: 'kite' }]), report],
      },
      tools,
      rules: [asks],
      clock: world.clock,
      engine: await world.open(),
    })
    await team.run({ agent: 'lead' })
    const [question] = await questionsOf(team.orchestrator.resume('chief-2', { work: 'launch it' }, never))
    await world.answer(question as QuestionId, { decision: 'approve' })
    expect(await team.orchestrator.resume(question?.session ?? '', {}, never)).toMatchObject({
      report: { session: 'chief-2', status: 'completed' },
    })
    expect(done).toEqual(['launch kite'])
  })

  test('a cancel while a session is suspended takes effect or is refused, whenever it comes', async () => {
    const seen = new Set<string>()
    for (let turns = 0; turns < 24; turns++) {
      const world = create()
      onTestFinished(() => world.dispose())
      const { tools } = countingTools()
      const engine = await world.open()
      const team = createTestTeam({
        agents: [{ name: 'solo' }],
        lanes: { solo: [call(['launch', { what: 'x' }]), say('ok')] },
        tools,
        rules: [asks],
        clock: world.clock,
        engine,
      })
      const running = team.run({ agent: 'solo' })
      const turn = () => new Promise((resolve) => setImmediate(resolve))
      const isAsked = () => team.events.some(({ type }) => type === 'person.asked')
      for (let n = 1; !isAsked(); n++) await (n % 50 === 0 ? turn() : undefined)
      for (let n = 1; n <= turns; n++) await (n % 4 === 0 ? turn() : undefined)
      const isTaken = team.orchestrator.cancel('solo-1', { stays: true })
      const result = await running
      expect(result).toMatchObject(isTaken ? { report: { status: 'cancelled' } } : { kind: 'waiting' })
      seen.add(result.kind)
    }
    expect(seen).toContain('waiting')
  })
})
