import type { Tool } from '@cadre/core'
import { call, createTestTeam, say, type TestTeam, type TestTeamOptions } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { countingTools } from './tools.ts'
import { worlds } from './worlds.ts'

const never = new AbortController().signal

/** A tool that waits until the test ends it. */
function waitingTool() {
  let reached: () => void = () => {}
  let release: () => void = () => {}
  const isReached = new Promise<void>((resolve) => {
    reached = resolve
  })
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  const [, , look] = countingTools().tools as [Tool, Tool, Tool]
  const tool: Tool = {
    ...look,
    name: 'wait',
    aliases: [],
    run: (_input, _context, signal) => {
      reached()
      return new Promise((resolve, reject) => {
        void isReleased.then(() => resolve({ content: 'waited' }))
        signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true })
      })
    },
  }
  return { tool, isReached, release }
}

describe.each(worlds)('on $name, a second resume of a running tree', ({ create }) => {
  async function open(options: Omit<TestTeamOptions, 'engine' | 'clock' | 'agents'>): Promise<TestTeam> {
    const world = create()
    onTestFinished(() => world.dispose())
    const team = createTestTeam({
      ...options,
      agents: [{ name: 'lead' }],
      engine: await world.open(),
      clock: world.clock,
    })
    return team
  }
  const refused = { code: 'owned', message: expect.stringMatching(/^session lead-1 is already running/) }
  const resume = (team: TestTeam, work?: string) =>
    team.orchestrator.resume('lead-1', work === undefined ? {} : { work }, never)

  test('is refused, and the run can still be cancelled', async () => {
    const { tool, isReached, release } = waitingTool()
    const team = await open({ tools: [tool], lanes: { lead: [call(['wait', { path: 'a' }]), say('end')] } })
    const running = team.run({ agent: 'lead' })
    await isReached
    await expect(resume(team)).rejects.toMatchObject(refused)
    await expect(resume(team, 'something else')).rejects.toMatchObject(refused)
    expect(team.orchestrator.cancel('lead-1')).toBe(true)
    expect(await running).toMatchObject({ report: { status: 'cancelled' } })
    // It is free again, and the work of the rejected caller was not queued.
    release()
    expect(await resume(team)).toMatchObject({ report: { status: 'completed', text: 'end' } })
    expect(team.models.requests.flatMap(({ messages }) => messages)).not.toContainEqual(
      expect.objectContaining({ content: 'something else' }),
    )
  })

  test('is refused, and the abort of the first caller still stops the run', async () => {
    const { tool, isReached } = waitingTool()
    const team = await open({ tools: [tool], lanes: { lead: [call(['wait', { path: 'a' }]), say('end')] } })
    const caller = new AbortController()
    const running = team.run({ agent: 'lead' }, caller.signal)
    await isReached
    await expect(resume(team)).rejects.toMatchObject(refused)
    caller.abort()
    expect(await running).toMatchObject({ report: { status: 'cancelled' } })
  })

  test('is refused, and the run’s budget still applies', async () => {
    const { tool, isReached, release } = waitingTool()
    const { tools, done } = countingTools()
    const note = (text: string) => ['note', { text }] as const
    const team = await open({
      tools: [...tools, tool],
      limits: { budget: { calls: 2 } },
      lanes: {
        lead: [call(['wait', { path: 'a' }]), call(note('1'), note('2'), note('3')), say('end')],
      },
    })
    const running = team.run({ agent: 'lead' })
    await isReached
    await expect(resume(team)).rejects.toMatchObject(refused)
    release()
    expect(await running).toMatchObject({ report: { status: 'completed' } })
    expect(done).toEqual(['note 1'])
  })

  test('is also refused for a second start with the same id', async () => {
    const { tool, isReached, release } = waitingTool()
    const team = await open({ tools: [tool], lanes: { lead: [call(['wait', { path: 'a' }]), say('end')] } })
    const running = Promise.allSettled([
      team.run({ agent: 'lead', id: 'lead-1' }),
      team.run({ agent: 'lead', id: 'lead-1' }),
    ])
    await isReached
    release()
    const [first, second] = await running
    expect(first).toMatchObject({ value: { report: { status: 'completed', text: 'end' } } })
    expect(second).toMatchObject({ reason: refused })
  })
})
