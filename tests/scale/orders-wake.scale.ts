import type { QuestionId, Tool } from '@cadre/core'
import type { RestateKeeper, TreeResult } from '@cadre/restate'
import { call, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import { countingTools } from '../engine/tools.ts'
import { askForLaunch } from './support/ask-for-launch.ts'
import { newPlace, restAfter, startScaleWorker, until } from './support/scale-worker.ts'

const work = (agentName: string) =>
  ['delegateWork', { agentName, workDescription: 'x', reportExpectations: 'all' }] as const
const request = { agent: 'lead', work: 'do it', workspace: '/work' }
const agents = [{ name: 'lead' }, { name: 'worker' }, { name: 'chief', delegates: { kind: 'all' } } as const]
const launch = call(['launch', { what: 'rocket' }])
const report = call(['reportOut', { report: 'built' }])
const approve = { decision: 'approve', by: 'anna' }

async function childOf(keeper: RestateKeeper, agent: string, count = 1): Promise<string[]> {
  const ids: string[] = []
  for (const id of await keeper.sessions('tree-1'))
    if ((await keeper.read(id))?.spec.agent.name === agent) ids.push(id)
  expect(ids).toHaveLength(count)
  for (const id of ids) await until(async () => (await keeper.rootOf(id)) === 'tree-1')
  return ids
}

const tell = (keeper: RestateKeeper, session: string) =>
  restAfter(keeper, () => keeper.tell(session, { content: 'launch it', message: `m-${session}` }))

function questionsIn(result: TreeResult): QuestionId[] {
  if (result.kind !== 'waiting') throw new Error(JSON.stringify(result))
  return [...result.questions]
}

const isDone = async (keeper: RestateKeeper, session: string) =>
  (await keeper.read(session))?.outcome === 'completed' && (await keeper.state('tree-1')).kind === 'rested'

/** A call of `hang` ends when it is stopped or released. */
function hangingTools() {
  const effects = countingTools()
  let hangs = 0
  let release: () => void = () => {}
  const tools = effects.tools.map(
    (tool): Tool =>
      tool.name === 'hang'
        ? {
            ...tool,
            run: (_input, _context, signal) => {
              hangs += 1
              return new Promise((resolve, reject) => {
                release = () => resolve({ content: 'released' })
                signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true })
              })
            },
          }
        : tool,
  )
  return { tools, done: effects.done, hangs: () => hangs, release: () => release() }
}

test('an answer continues a child of a run that has finished', async () => {
  const { tools, done } = countingTools()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents,
    tools,
    rules: [askForLaunch],
    lanes: { lead: [call(work('worker')), say('end')], worker: [report, launch, report] },
  })
  await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  const [child = ''] = await childOf(keeper, 'worker')
  const [question] = questionsIn(await tell(keeper, child))
  expect(question?.session).toBe(child)
  const result = await restAfter(keeper, () => keeper.answer(question as QuestionId, approve))
  expect(result).toMatchObject({ kind: 'report', report: { session: child, status: 'completed' } })
  expect(done).toEqual(['launch rocket'])
})

test('an answer that comes while another child of a finished run works continues its own one afterwards', async () => {
  const { tools, done, hangs, release } = hangingTools()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents,
    tools,
    rules: [askForLaunch],
    lanes: {
      lead: [call(work('worker'), work('chief')), say('end')],
      worker: [report, launch, report],
      chief: [report, call(['hang', {}]), report],
    },
  })
  await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  const [worker = ''] = await childOf(keeper, 'worker')
  const [chief = ''] = await childOf(keeper, 'chief')
  const [question] = questionsIn(await tell(keeper, worker))
  const rest = tell(keeper, chief)
  await until(() => hangs() === 1)
  await keeper.answer(question as QuestionId, approve)
  await until(async () => {
    await keeper.refresh('tree-1')
    return JSON.stringify((await keeper.read(worker))?.entries).includes('person.answered')
  })
  release()
  expect(await rest).toMatchObject({ kind: 'report' })
  await until(() => isDone(keeper, worker))
  expect(done).toEqual(['launch rocket'])
})

test('an answer below a child of a finished run continues both', async () => {
  const { tools, done } = countingTools()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents,
    tools,
    rules: [askForLaunch],
    lanes: {
      lead: [call(work('chief')), say('end')],
      chief: [report, call(work('worker')), report],
      worker: [launch, report],
    },
  })
  await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  const [chief = ''] = await childOf(keeper, 'chief')
  const [question] = questionsIn(await tell(keeper, chief))
  expect(question?.session).not.toBe(chief)
  await childOf(keeper, 'worker')
  const result = await restAfter(keeper, () => keeper.answer(question as QuestionId, approve))
  expect(result).toMatchObject({ kind: 'report', report: { session: chief, status: 'completed' } })
  expect(done).toEqual(['launch rocket'])
})

test('an answer continues a child that a message has woken, although its run still waits', async () => {
  const { tools, done } = countingTools()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents,
    tools,
    rules: [askForLaunch],
    lanes: {
      lead: [call(work('worker')), launch, say('end')],
      worker: [report, call(['launch', { what: 'kite' }]), report],
    },
  })
  const waiting = await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  const [ofRun] = questionsIn(waiting)
  const [child = ''] = await childOf(keeper, 'worker')
  const [question] = questionsIn(await tell(keeper, child))
  expect(question?.session).toBe(child)
  await restAfter(keeper, () => keeper.answer(question as QuestionId, approve))
  expect(await keeper.read(child)).toMatchObject({ outcome: 'completed' })
  expect(done).toEqual(['launch kite'])
  const result = await restAfter(keeper, () => keeper.answer(ofRun as QuestionId, approve))
  expect(result).toMatchObject({ kind: 'report', report: { text: 'end' } })
})

test('an answer continues a child that a message has woken, and not its run that was cancelled', async () => {
  const { tools, done } = hangingTools()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents,
    tools,
    rules: [askForLaunch],
    lanes: {
      lead: [call(work('worker')), launch, say('revived')],
      worker: [report, call(['launch', { what: 'kite' }]), report],
    },
  })
  await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  const [child = ''] = await childOf(keeper, 'worker')
  await restAfter(keeper, () => keeper.cancel('tree-1', 'not needed'))
  const [question] = questionsIn(await tell(keeper, child))
  const result = await restAfter(keeper, () => keeper.answer(question as QuestionId, approve))
  expect(result).toMatchObject({ kind: 'report', report: { session: child, status: 'completed' } })
  expect(done).toEqual(['launch kite'])
  expect(await keeper.read('tree-1')).toMatchObject({ outcome: 'cancelled' })
})

test('a cancel below a child of a finished run continues the child without it', async () => {
  const { tools } = countingTools()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents,
    tools,
    rules: [askForLaunch],
    lanes: {
      lead: [call(work('chief')), say('end')],
      chief: [report, call(work('worker')), report],
      worker: [launch, report],
    },
  })
  await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  const [chief = ''] = await childOf(keeper, 'chief')
  questionsIn(await tell(keeper, chief))
  const [worker = ''] = await childOf(keeper, 'worker')
  const result = await restAfter(keeper, () => keeper.cancel(worker, 'not needed'))
  expect(result).toMatchObject({ kind: 'report', report: { session: chief, status: 'completed' } })
})

test('a tree rests with a report if the child that it waited for is cancelled', async () => {
  const { tools } = countingTools()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents,
    tools,
    rules: [askForLaunch],
    lanes: { lead: [call(work('worker')), say('end')], worker: [report, launch, report] },
  })
  const first = await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  const [child = ''] = await childOf(keeper, 'worker')
  questionsIn(await tell(keeper, child))
  expect(await restAfter(keeper, () => keeper.cancel(child, 'not needed'))).toEqual(first)
})

test('a tree rests if a child of a finished run is cancelled while it moves to another invocation', async () => {
  const place = newPlace()
  const { tools, hangs, release } = hangingTools()
  const options = {
    place,
    agents,
    tools,
    lanes: {
      lead: [call(work('worker')), say('end')],
      worker: [report, call(['hang', {}]), launch, report],
    },
  }
  const { keeper, worker } = await startScaleWorker(options)
  const first = await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  const [child = ''] = await childOf(keeper, 'worker')
  await keeper.tell(child, { content: 'go', message: 'm1' })
  await until(() => hangs() === 1)
  const drained = worker.drain()
  release()
  await drained
  await worker.close()
  await keeper.cancel(child, 'not needed', { root: 'tree-1' })
  const next = await startScaleWorker({ ...options, port: worker.port })
  await until(async () => (await next.keeper.state('tree-1')).kind === 'rested')
  expect(await next.keeper.state('tree-1')).toEqual({ kind: 'rested', result: first })
  expect(await next.keeper.read(child)).toMatchObject({ outcome: 'cancelled' })
})
