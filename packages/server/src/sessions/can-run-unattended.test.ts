import { defineTool, object, type Rule, string } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { createFileEngine } from '@cadre/journal'
import { canRunUnattended, idleStateOf } from '@cadre/runtime'
import { call, createTestTeam, type Line, say } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../daemon/daemon.spec-helpers.ts'

const signal = new AbortController().signal
const launch = (what: string) => ['launch', { what }] as const
const delegate = (agentName: string) =>
  ['delegateWork', { agentName, workDescription: 'w', reportExpectations: 'r' }] as const
const report = call(['reportOut', { report: 'fine' }])

const askForRocket: Rule<string> = {
  by: 'approval',
  name: 'asks',
  immediate: true,
  judge: ({ input }) =>
    (input as { what?: unknown }).what === 'rocket'
      ? ({ kind: 'ask', by: 'approval', rule: 'commands', reason: 'it is large' } as never)
      : undefined,
}

/** A team whose calls hang in its first life, so that they are in doubt in the second. */
async function createDoubts(lanes: Record<string, readonly Line[]>, hanging: number) {
  const { home, workspace } = temporaryHome()
  let begun = 0
  const open = async (hangs: boolean) => {
    // The identity of a process that does not exist, so its engine leaves the files of a killed process.
    const identity = hangs ? { pid: 2 ** 30, start: '1' } : {}
    const engine = await createFileEngine({ home, clock: systemClock, identity })
    onTestFinished(() => engine.close().catch(() => {}))
    const tool = defineTool({
      name: 'launch',
      description: 'Cannot be taken back',
      class: 'execute',
      effect: 'execute',
      input: object({ what: string('What') }),
      run: ({ what }) => {
        begun += 1
        return hangs ? new Promise(() => {}) : Promise.resolve({ content: `launched ${what}` })
      },
    })
    const agents = Object.keys(lanes).map((name) => ({ name }))
    const tools = [tool as never]
    return {
      engine,
      team: createTestTeam({ agents, lanes, tools, rules: [askForRocket], engine, clock: systemClock }),
    }
  }
  const first = await open(true)
  void first.team.run({ agent: 'lead', workspace })
  while (begun < hanging) await new Promise((resolve) => setTimeout(resolve, 1))
  const { engine, team } = await open(false)
  const stored = async (session: string) => {
    const found = await engine.read(session)
    if (found === undefined) throw new Error(`there is no session ${session}`)
    return found
  }
  return {
    engine,
    resume: (session = 'lead-1', work?: string) =>
      team.orchestrator.resume(session, work === undefined ? {} : { work }, signal),
    standing: async (session: string) => idleStateOf(await stored(session)).kind,
    isReady: async (session: string) => canRunUnattended(await stored(session), (id) => engine.read(id)),
  }
}

test('a session continues when one of its two questions is answered', async () => {
  const doubts = await createDoubts({ lead: [call(launch('a'), launch('b')), say('end')] }, 2)
  expect(await doubts.isReady('lead-1')).toBe(true)
  expect(await doubts.resume()).toMatchObject({
    questions: [{ name: 'doubt/call_1_0' }, { name: 'doubt/call_1_1' }],
  })
  expect(await doubts.isReady('lead-1')).toBe(false)
  await doubts.engine.answer('lead-1', 'doubt/call_1_1', { decision: 'again' })
  expect(await doubts.isReady('lead-1')).toBe(true)
  expect(await doubts.resume()).toMatchObject({ questions: [{ name: 'doubt/call_1_0' }] })
  expect(await doubts.isReady('lead-1')).toBe(false)
})

test('a session whose process died while it asked continues with its other work', async () => {
  const doubts = await createDoubts({ lead: [call(launch('a')), say('end')] }, 1)
  await doubts.resume()
  expect(await doubts.standing('lead-1')).toBe('asks')
  // As if the process had been killed before it suspended the session.
  const run = await doubts.engine.open((await doubts.engine.read('lead-1'))!.spec)
  expect(run.recorded.length).toBeGreaterThan(0)
  expect((await doubts.engine.read('lead-1'))?.status).toBe('active')
  expect(await doubts.standing('lead-1')).toBe('ready')
})

test('a child continues when its question is answered, even if its parent has an open question', async () => {
  const lanes = {
    lead: [call(launch('a'), delegate('scout')), say('end')],
    scout: [call(launch('b')), report],
  }
  const doubts = await createDoubts(lanes, 2)
  expect(await doubts.resume()).toMatchObject({ kind: 'waiting' })
  expect(await doubts.isReady('scout-2')).toBe(false)
  await doubts.engine.answer('scout-2', 'doubt/call_1_0', { decision: 'done' })
  expect(await doubts.isReady('scout-2')).toBe(true)
  expect(await doubts.resume()).toMatchObject({ questions: [{ name: 'doubt/call_1_0' }] })
  expect(await doubts.standing('scout-2')).toBe('ended')
  expect(await doubts.isReady('lead-1')).toBe(false)
})

test('a session waits while one of its children waits and all others have ended', async () => {
  const lanes = {
    lead: [call(delegate('scout'), delegate('critic')), say('end')],
    scout: [call(launch('b')), report],
    critic: [report],
  }
  const doubts = await createDoubts(lanes, 1)
  expect(await doubts.resume()).toMatchObject({ kind: 'waiting' })
  expect(await doubts.standing('critic-3')).toBe('ended')
  expect(await doubts.isReady('lead-1')).toBe(false)
})

test('a child that a message has woken continues when its question is answered, although its run waits', async () => {
  const lanes = {
    lead: [call(delegate('scout')), call(launch('a')), say('end')],
    scout: [report, call(launch('rocket')), report],
  }
  const doubts = await createDoubts(lanes, 1)
  expect(await doubts.resume()).toMatchObject({ questions: [{ session: 'lead-1' }] })
  expect(await doubts.isReady('scout-2')).toBe(false)
  const asked = await doubts.resume('scout-2', 'one more thing')
  const [question] = asked.kind === 'waiting' ? asked.questions : []
  expect(question?.session).toBe('scout-2')
  expect(await doubts.isReady('scout-2')).toBe(false)
  await doubts.engine.answer('scout-2', question?.name ?? '', { decision: 'approve' })
  expect(await doubts.isReady('scout-2')).toBe(true)
  expect(await doubts.isReady('lead-1')).toBe(false)
  expect(await doubts.resume('scout-2')).toMatchObject({
    report: { session: 'scout-2', status: 'completed' },
  })
  expect(await doubts.isReady('scout-2')).toBe(false)
})
