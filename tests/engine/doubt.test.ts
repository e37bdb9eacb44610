import type { Rule, Tool } from '@cadre/core'
import { call, createTestTeam, say } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { countingTools } from './tools.ts'
import { worlds } from './worlds.ts'

const signal = new AbortController().signal

/** Creates a tool that hangs when it runs, before or after its effect, as if its process had died. */
function death(when: 'before' | 'after') {
  let reached: () => void = () => {}
  const at = new Promise<void>((resolve) => {
    reached = resolve
  })
  const wrap =
    (run: Tool['run']): Tool['run'] =>
    async (...args) => {
      if (when === 'after') await run(...args)
      reached()
      return new Promise<never>(() => {})
    }
  return { at, wrap }
}

/** A short version of the gate's command rules. */
const reading: Rule<string> = {
  by: 'policy',
  name: 'reading',
  immediate: true,
  judge: ({ tool, input }) =>
    tool.name === 'launch' && (input as { what: string }).what === 'nothing'
      ? { kind: 'allow', by: 'policy', rule: 'reading', readsOnly: true }
      : undefined,
}

describe.each(worlds)('on $name, a call in doubt', ({ create }) => {
  test('needs a decision again when the process dies during a second attempt', async () => {
    const world = create()
    onTestFinished(() => world.dispose())
    const { done, tools } = countingTools()
    const open = async (wrap: (run: Tool['run']) => Tool['run']) => {
      await world.close()
      const { orchestrator, run } = createTestTeam({
        agents: [{ name: 'lead' }],
        lanes: { lead: [call(['launch', { what: 'rocket' }]), say('launched')] },
        clock: world.clock,
        engine: await world.open(),
        tools: tools.map((tool) => (tool.name === 'launch' ? { ...tool, run: wrap(tool.run) } : tool)),
      })
      return { run, resume: () => orchestrator.resume('lead-1', {}, signal) }
    }
    const unharmed = (run: Tool['run']) => run

    const first = death('before')
    void (await open(first.wrap)).run({ agent: 'lead' })
    await first.at

    const second = death('after')
    const { resume } = await open(second.wrap)
    expect(await resume()).toMatchObject({ kind: 'waiting', questions: [{ name: 'doubt/call_1_0' }] })
    await world.answer({ session: 'lead-1', name: 'doubt/call_1_0' }, { decision: 'again', by: 'anna' })
    void resume()
    await second.at
    expect(done).toEqual(['launch rocket'])

    const third = await open(unharmed)
    expect(await third.resume()).toMatchObject({ kind: 'waiting', questions: [{ name: 'doubt/call_1_0/2' }] })
    expect(done).toEqual(['launch rocket'])
    await world.answer({ session: 'lead-1', name: 'doubt/call_1_0/2' }, { decision: 'done', by: 'anna' })
    expect(await third.resume()).toMatchObject({ report: { status: 'completed', text: 'launched' } })
    expect(done).toEqual(['launch rocket'])
  })

  test.each([
    ['none', 'launch was interrupted and may have been carried out: {'],
    ['ended', 'may have been carried out (it was still running, and Cadre has ended it): {'],
    ['unknown', 'may have been carried out (it may still be running): {'],
    ['failed', 'may have been carried out (it may still be running): {'],
  ] as const)(
    'ends what it left running before the question, which tells the result: %s',
    async (left, text) => {
      const world = create()
      onTestFinished(() => world.dispose())
      const { done, tools } = countingTools()
      const keys: string[] = []
      const open = async (what: string, wrap: (run: Tool['run']) => Tool['run']) => {
        await world.close()
        const engine = await world.open()
        const { orchestrator, run } = createTestTeam({
          agents: [{ name: 'lead' }],
          lanes: { lead: [call(['launch', { what }]), say('launched')] },
          clock: world.clock,
          engine,
          rules: [reading],
          tools: tools.map((tool) => ({
            ...tool,
            ...(tool.name === 'launch' && { run: wrap(tool.run) }),
            async endLeftover({ key }) {
              keys.push(`${key} after ${done.length} runs`)
              if (left === 'failed') throw new Error('no')
              return left
            },
          })),
        })
        return { engine, run, resume: () => orchestrator.resume('lead-1', {}, signal) }
      }
      const first = death('before')
      void (await open('rocket', first.wrap)).run({ agent: 'lead' })
      await first.at
      const { engine, resume } = await open('rocket', (run) => run)
      expect(await resume()).toMatchObject({ kind: 'waiting' })
      expect(keys).toEqual(['lead-1/call_1_0 after 0 runs'])
      expect(JSON.stringify((await engine.read('lead-1'))?.entries)).toContain(
        JSON.stringify(text).slice(1, -1),
      )
    },
  )

  test('can run again each time the process dies, after a new answer', async () => {
    const world = create()
    onTestFinished(() => world.dispose())
    const { done, tools } = countingTools()
    const deaths = [death('before'), death('before'), death('before')]
    const asked: string[] = []
    for (const [life, { at, wrap }] of [
      ...deaths,
      { at: undefined, wrap: (run: Tool['run']) => run },
    ].entries()) {
      await world.close()
      const team = createTestTeam({
        agents: [{ name: 'lead' }],
        lanes: { lead: [call(['launch', { what: 'rocket' }]), say('launched')] },
        clock: world.clock,
        engine: await world.open(),
        tools: tools.map((tool) => (tool.name === 'launch' ? { ...tool, run: wrap(tool.run) } : tool)),
      })
      const goOn = () =>
        life === 0 ? team.run({ agent: 'lead' }) : team.orchestrator.resume('lead-1', {}, signal)
      if (life > 0) {
        const waits = await goOn()
        const [question = { session: '', name: '' }] = waits.kind === 'waiting' ? waits.questions : []
        asked.push(question.name)
        await world.answer(question, { decision: 'again' })
      }
      const end = goOn()
      if (at === undefined) expect(await end).toMatchObject({ report: { status: 'completed' } })
      else await at
    }
    expect(asked).toEqual(['doubt/call_1_0', 'doubt/call_1_0/2', 'doubt/call_1_0/3'])
    expect(done).toEqual(['launch rocket'])
  })

  test('is repeated without a question if the gate judges that it only reads', async () => {
    const world = create()
    onTestFinished(() => world.dispose())
    const { done, tools } = countingTools()
    const open = async (wrap: (run: Tool['run']) => Tool['run']) => {
      await world.close()
      return createTestTeam({
        agents: [{ name: 'lead' }],
        lanes: { lead: [call(['launch', { what: 'nothing' }]), say('looked')] },
        clock: world.clock,
        engine: await world.open(),
        rules: [reading],
        tools: tools.map((tool) => (tool.name === 'launch' ? { ...tool, run: wrap(tool.run) } : tool)),
      })
    }
    const { at, wrap } = death('before')
    void (await open(wrap)).run({ agent: 'lead' })
    await at
    const team = await open((run) => run)
    expect(await team.orchestrator.resume('lead-1', {}, signal)).toMatchObject({
      report: { status: 'completed', text: 'looked' },
    })
    expect(done).toEqual(['launch nothing'])
  })

  test('does not block the other calls of its round', async () => {
    const world = create()
    onTestFinished(() => world.dispose())
    const { done, tools } = countingTools()
    const { at, wrap } = death('before')
    const open = async (isDead: boolean) => {
      await world.close()
      return createTestTeam({
        agents: [{ name: 'lead' }],
        lanes: {
          lead: [
            call(['launch', { what: 'rocket' }], ['note', { text: 'a' }], ['look', { path: 'b' }]),
            say('end'),
          ],
        },
        clock: world.clock,
        engine: await world.open(),
        // All of them were started, but none was carried out.
        tools: isDead ? tools.map((tool) => ({ ...tool, run: wrap(tool.run) })) : tools,
      })
    }
    void (await open(true)).run({ agent: 'lead' })
    await at
    const team = await open(false)
    const resume = () => team.orchestrator.resume('lead-1', {}, signal)
    expect(await resume()).toMatchObject({ kind: 'waiting', questions: [{ name: 'doubt/call_1_0' }] })
    expect(done).toEqual(['note a'])
    await world.answer({ session: 'lead-1', name: 'doubt/call_1_0' }, { decision: 'again' })
    expect(await resume()).toMatchObject({ report: { status: 'completed' } })
    expect(done).toEqual(['note a', 'launch rocket'])
  })
})
