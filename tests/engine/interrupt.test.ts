import { foldEntries } from '@cadre/core'
import { call, createTestTeam, type Line, say, type TestTeam, type TestTeamOptions } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { countingTools } from './tools.ts'
import { worlds } from './worlds.ts'

const never = new AbortController().signal

describe.each(worlds)('on $name', ({ create }) => {
  async function open(options: Omit<TestTeamOptions, 'engine' | 'clock'>): Promise<TestTeam> {
    const world = create()
    onTestFinished(() => world.dispose())
    return createTestTeam({ ...options, engine: await world.open(), clock: world.clock })
  }
  const stored = async (team: TestTeam) => {
    const session = await team.engine.read('worker-7')
    if (session === undefined) throw new Error('there is no such session')
    return session
  }
  const said = async (team: TestTeam) =>
    (await stored(team)).entries.flatMap((entry) =>
      entry.role === 'user' || entry.role === 'assistant' ? [[entry.role, entry.content]] : [],
    )

  /** Streams a start and hangs on the first request; then it is interrupted, and answers. */
  function interrupted(then: (team: TestTeam) => void, text = 'I will delete'): Line {
    let asked = 0
    return (_request, stream) => {
      asked += 1
      if (asked > 1) return say('As you like.')
      stream(text)
      setImmediate(() => then(team))
      return 'hang'
    }
  }
  let team: TestTeam

  test('an interrupted reply is abandoned, the message is delivered, and the session continues', async () => {
    const told: Promise<boolean>[] = []
    const worker = [
      interrupted(({ orchestrator }) => {
        told.push(orchestrator.tell('worker-7', { content: 'No, keep it.', message: 'm1' }))
        expect(orchestrator.interrupt('worker-7')).toBe(true)
      }),
    ]
    team = await open({ agents: [{ name: 'worker' }], lanes: { worker } })
    const report = await team.report({ agent: 'worker', id: 'worker-7' })
    expect(report).toMatchObject({ status: 'completed', text: 'As you like.' })
    expect(await Promise.all(told)).toEqual([true])
    expect(await said(team)).toEqual([
      ['user', 'do it'],
      ['user', 'The user interrupted your reply. They had read this part of it:\n\nI will delete'],
      ['user', 'No, keep it.'],
      ['assistant', 'As you like.'],
    ])
    // A backend with its own loop starts the next request from scratch.
    expect(team.models.released).toEqual(['worker-7', 'worker-7'])
    // An interrupted reply is not a round, and its usage is not counted.
    expect(foldEntries((await stored(team)).entries, 'worker-7')).toMatchObject({
      round: 1,
      usage: { input: 10, output: 5 },
    })
  })

  test('nothing is recorded of a reply without any received text', async () => {
    const worker = [interrupted(({ orchestrator }) => void orchestrator.interrupt('worker-7'), ' ')]
    team = await open({ agents: [{ name: 'worker' }], lanes: { worker } })
    await team.report({ agent: 'worker', id: 'worker-7' })
    expect(await said(team)).toEqual([
      ['user', 'do it'],
      ['assistant', 'As you like.'],
    ])
  })

  test('under a budget an interrupted request counts once, in full', async () => {
    const worker = [interrupted(({ orchestrator }) => void orchestrator.interrupt('worker-7'))]
    const model = { maxOutput: 1_000 }
    team = await open({
      agents: [{ name: 'worker' }],
      lanes: { worker },
      model,
      limits: { budget: { tokens: 100_000 } },
    })
    await team.report({ agent: 'worker', id: 'worker-7' })
    const events = (await stored(team)).entries.filter(
      (entry) => entry.role === 'event' && /^request\./.test(entry.type),
    )
    // Two were sent. The reply has the usage of the second, and nothing settles the first for less.
    expect(events.map((entry) => entry.role === 'event' && entry.type)).toEqual([
      'request.sent',
      'request.sent',
    ])
  })

  test('there is nothing to interrupt during calls, or after the end', async () => {
    const { tools } = countingTools()
    const results: boolean[] = []
    team = await open({
      agents: [{ name: 'worker' }],
      tools,
      lanes: { worker: [call(['note', { text: 'a' }]), say('End.')] },
      onLifecycleEvent: async (moment) => {
        if (moment.kind === 'call.settled') results.push(team.orchestrator.interrupt('worker-7'))
        return undefined
      },
    })
    await team.report({ agent: 'worker', id: 'worker-7' })
    results.push(team.orchestrator.interrupt('worker-7'), team.orchestrator.interrupt('nobody'))
    expect(results).toEqual([false, false, false])
    expect(await said(team)).toHaveLength(3)
  })

  test('older rounds of an ended session are summarised on demand, and it stays ended', async () => {
    const { tools } = countingTools()
    const filler = 'x'.repeat(2_000)
    team = await open({
      agents: [{ name: 'worker' }],
      tools,
      lanes: {
        worker: [
          call(['note', { text: filler }]),
          call(['note', { text: filler }]),
          say('End.'),
          say('It was about notes.'),
        ],
      },
    })
    await team.report({ agent: 'worker', id: 'worker-7' })
    expect(await team.orchestrator.compact('worker-7', never)).toBe(true)
    const after = await stored(team)
    expect(after).toMatchObject({ status: 'completed', outcome: 'completed' })
    const { messages, ended } = foldEntries(after.entries, 'worker-7')
    expect(ended).toMatchObject({ status: 'completed', text: 'End.' })
    expect(JSON.stringify(messages)).toContain('a summary of what was done')
    expect(JSON.stringify(messages)).not.toContain(filler)
    const next = await team.orchestrator.resume('worker-7', { work: 'What was it about?' }, never)
    expect(next).toMatchObject({ kind: 'report', report: { text: 'It was about notes.' } })
  })

  test('a short session has nothing to summarise, and a stopped one stays unchanged', async () => {
    team = await open({ agents: [{ name: 'worker' }], lanes: { worker: [say('End.')] } })
    await team.report({ agent: 'worker', id: 'worker-7' })
    const before = await stored(team)
    expect(await team.orchestrator.compact('worker-7', never)).toBe(false)
    expect(await team.orchestrator.compact('worker-7', AbortSignal.abort())).toBe(false)
    expect((await stored(team)).entries).toEqual(before.entries)
    await expect(team.orchestrator.compact('nobody', never)).rejects.toThrow('there is no session nobody')
  })
})
