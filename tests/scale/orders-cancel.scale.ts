import type { Tool } from '@cadre/core'
import { placeNames, type RestateKeeper } from '@cadre/restate'
import { call, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import { countingTools } from '../engine/tools.ts'
import { askForLaunch } from './support/ask-for-launch.ts'
import {
  admin,
  ingress,
  newPlace,
  restAfter,
  startScaleWorker,
  toldBy,
  until,
} from './support/scale-worker.ts'

const work = (agentName: string) =>
  ['delegateWork', { agentName, workDescription: 'x', reportExpectations: 'all' }] as const
const request = { agent: 'lead', work: 'do it', workspace: '/work' }
const agents = [{ name: 'lead' }, { name: 'worker' }]
const cancelled = { kind: 'report', report: { status: 'cancelled' } }
const launch = call(['launch', { what: 'rocket' }])
const hang = call(['hang', {}])

/** The call `hang` ends when it is stopped or released. `isDeaf`: only when it is released. */
function hangingTools({ isDeaf = false } = {}) {
  const effects = countingTools()
  let hangs = 0
  let stops = 0
  let release: () => void = () => {}
  const tools = effects.tools.map((tool): Tool => {
    if (tool.name !== 'hang') return tool
    return {
      ...tool,
      run: (_input, _context, signal) => {
        hangs += 1
        return new Promise((resolve, reject) => {
          release = () => resolve({ content: 'released' })
          const stop = () => {
            stops += 1
            if (!isDeaf) reject(new Error('stopped'))
          }
          signal.addEventListener('abort', stop, { once: true })
        })
      },
    }
  })
  return { tools, done: effects.done, hangs: () => hangs, stops: () => stops, release: () => release() }
}

/** Resolves when the tree has carried out all orders that were sent to it: they are carried out in order, and this one has no effect. */
const allDone = (keeper: RestateKeeper, session: string) =>
  restAfter(keeper, () => keeper.answer({ session, name: 'nothing' }, { decision: 'approve', by: 'anna' }))

async function childOf(keeper: RestateKeeper, root: string): Promise<string> {
  await keeper.refresh(root)
  const [child = ''] = (await keeper.sessions(root)).filter((id) => id !== root)
  await until(async () => (await keeper.rootOf(child)) === root)
  return child
}

test('a cancel right after the start ends the tree', async () => {
  const { tools, done } = hangingTools()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents,
    tools,
    lanes: { lead: [hang, launch, say('end')] },
  })
  for (const id of ['tree-1', 'tree-2', 'tree-3', 'tree-4', 'tree-5']) {
    const result = await restAfter(keeper, async () => {
      await keeper.start({ ...request, id })
      await keeper.cancel(id, 'not needed', { root: id })
    })
    expect(result).toMatchObject(cancelled)
    expect(await keeper.read(id)).toMatchObject({ status: 'error', outcome: 'cancelled' })
  }
  expect(done).toEqual([])
})

test('a start and its cancel while no worker runs: no call runs when one does', async () => {
  const { tools, done } = hangingTools()
  const options = { place: newPlace(), agents, tools, lanes: { lead: [launch, say('end')] } }
  const { keeper, worker } = await startScaleWorker(options)
  await worker.close()
  const starting = keeper.start({ ...request, id: 'tree-1' })
  await keeper.cancel('tree-1', 'not needed', { root: 'tree-1' })
  await startScaleWorker({ ...options, port: worker.port })
  const result = await restAfter(keeper, () => starting)
  expect(result).toMatchObject(cancelled)
  expect(done).toEqual([])
})

test('a cancel right after an approval ends the tree', async () => {
  const { tools } = hangingTools()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents,
    tools,
    rules: [askForLaunch],
    lanes: { lead: [launch, hang, say('end')] },
  })
  const waiting = await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  const [question] = waiting.kind === 'waiting' ? waiting.questions : []
  if (question === undefined) throw new Error('the tree did not ask')
  const result = await restAfter(keeper, async () => {
    await keeper.answer(question, { decision: 'approve', by: 'anna' })
    await keeper.cancel('tree-1', 'not needed', { root: 'tree-1' })
  })
  expect(result).toMatchObject(cancelled)
})

test('a cancel right after other messages to a running tree ends it', async () => {
  const { tools, hangs } = hangingTools()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents,
    tools,
    lanes: { lead: [hang, launch, say('end')] },
  })
  const rest = restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  await until(() => hangs() === 1)
  const messages = Array.from({ length: 10 }, (_, n) =>
    keeper.tell('tree-1', { content: `message ${n}`, message: `m${n}` }),
  )
  await Promise.all(messages)
  await keeper.cancel('tree-1', 'not needed')
  expect(await rest).toMatchObject(cancelled)
})

test('a cancel ends a tree that moves to another worker', async () => {
  const place = newPlace()
  const { tools, done, hangs, release } = hangingTools()
  const options = { place, agents, tools, lanes: { lead: [hang, launch, say('end')] } }
  const { keeper, worker } = await startScaleWorker(options)
  await keeper.start({ ...request, id: 'tree-1' })
  await until(() => hangs() === 1)
  const drained = worker.drain()
  release()
  await drained
  // No worker runs the tree now.
  await keeper.cancel('tree-1', 'not needed', { root: 'tree-1' })
  const result = await restAfter(keeper, () => startScaleWorker(options))
  expect(result).toMatchObject(cancelled)
  expect(done).toEqual([])
})

test('a cancel is not lost with the worker that carries it out', async () => {
  const place = newPlace()
  const { tools, done, hangs, stops } = hangingTools({ isDeaf: true })
  const options = { place, agents, tools, lanes: { lead: [hang, launch, say('end')] } }
  const { keeper, worker } = await startScaleWorker(options)
  await keeper.start({ ...request, id: 'tree-1' })
  await until(() => hangs() === 1)
  await keeper.cancel('tree-1', 'not needed')
  await until(() => stops() === 1)
  await worker.close()
  const result = await restAfter(keeper, () => startScaleWorker({ ...options, port: worker.port }))
  expect(result).toMatchObject(cancelled)
  expect(done).toEqual([])
})

test('a cancel takes back a message to a child that was sent before it', async () => {
  const { tools, done, hangs } = hangingTools()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents,
    tools,
    lanes: {
      lead: [call(work('worker')), hang, say('end')],
      worker: [call(['reportOut', { report: 'built' }]), launch, call(['reportOut', { report: 'again' }])],
    },
  })
  const rest = restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  await until(() => hangs() === 1)
  const child = await childOf(keeper, 'tree-1')
  await keeper.tell(child, { content: 'one more thing', message: 'm1' })
  await keeper.cancel('tree-1', 'not needed', { root: 'tree-1' })
  expect(await rest).toMatchObject(cancelled)
  expect(await allDone(keeper, 'tree-1')).toMatchObject(cancelled)
  expect(done).toEqual([])
  expect(await keeper.read(child)).toMatchObject({ outcome: 'completed' })
})

test('a message that is sent after a cancel continues the session', async () => {
  const { tools, hangs, release } = hangingTools()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents,
    tools,
    lanes: { lead: [hang, say('continued')] },
  })
  await keeper.start({ ...request, id: 'tree-1' })
  await until(() => hangs() === 1)
  await keeper.cancel('tree-1', 'not needed', { root: 'tree-1' })
  await keeper.tell('tree-1', { content: 'after all', message: 'm1' })
  // The call that the cancel stopped runs again.
  await until(() => hangs() === 2)
  release()
  await until(async () => (await keeper.read('tree-1'))?.outcome === 'completed')
  expect(toldBy(await keeper.read('tree-1'))).toEqual(['do it', 'after all'])
})

test('a cancel of a child that has ended does not restart a tree that failed', async () => {
  const { tools, hangs, release } = hangingTools()
  const { keeper, team } = await startScaleWorker({
    place: newPlace(),
    agents,
    tools,
    lanes: {
      // The third request fails.
      lead: [call(work('worker')), hang],
      worker: [call(['reportOut', { report: 'built' }])],
    },
  })
  const rest = restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  await until(() => hangs() === 1)
  const child = await childOf(keeper, 'tree-1')
  await keeper.cancel(child, 'not needed', { root: 'tree-1' })
  release()
  const failed = await rest
  expect(failed).toMatchObject({ report: { status: 'error' } })
  const before = team.models.requests.length
  const again = await restAfter(keeper, () => keeper.cancel(child, 'not needed', { root: 'tree-1' }))
  expect(again).toEqual(failed)
  expect(await allDone(keeper, 'tree-1')).toEqual(failed)
  expect(team.models.requests).toHaveLength(before)
})

test('of a resume and a cancel, the later one applies', async () => {
  const { tools, done, hangs, release } = hangingTools()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents,
    tools,
    lanes: { lead: [hang, launch, say('end')] },
  })
  const rest = restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  await until(() => hangs() === 1)
  await keeper.cancel('tree-1', 'not needed')
  expect(await rest).toMatchObject(cancelled)
  await keeper.resume('tree-1', {})
  await keeper.cancel('tree-1', 'not needed', { root: 'tree-1' })
  await until(async () => (await keeper.state('tree-1')).kind === 'rested')
  expect(await allDone(keeper, 'tree-1')).toMatchObject(cancelled)
  expect(done).toEqual([])
  const before = hangs()
  await keeper.resume('tree-1', {})
  await until(() => hangs() > before)
  release()
  await until(async () => (await keeper.read('tree-1'))?.outcome === 'completed')
  expect(done).toEqual(['launch rocket'])
})

test('an invocation that is killed at the server takes no later order with it', async () => {
  const place = newPlace()
  const { tools, hangs } = hangingTools()
  const { keeper } = await startScaleWorker({
    place,
    agents,
    tools,
    lanes: { lead: [say('ready'), hang, say('continued')] },
  })
  await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  await keeper.tell('tree-1', { content: 'go', message: 'm1' })
  await until(() => hangs() === 1)
  await keeper.refresh('tree-1')
  await killInvocations(place)
  await keeper.tell('tree-1', { content: 'one', message: 'm2' })
  await keeper.cancel('tree-1', 'not needed', { root: 'tree-1' })
  await keeper.tell('tree-1', { content: 'two', message: 'm3' })
  await until(async () => toldBy(await keeper.read('tree-1')).includes('two'))
  expect(toldBy(await keeper.read('tree-1'))).not.toContain('one')
})

async function killInvocations(place: string): Promise<void> {
  const query = `select id from sys_invocation where target_service_name = '${placeNames(place).trees}' and target_handler_name = 'run' and status = 'running'`
  const response = await fetch(`${admin()}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query }),
  })
  const { rows } = (await response.json()) as { rows: { id: string }[] }
  expect(rows).toHaveLength(1)
  for (const { id } of rows) await fetch(`${admin()}/invocations/${id}/kill`, { method: 'PATCH' })
}

test('a tree that an older client started receives messages and cancels, also on another worker', async () => {
  const place = newPlace()
  const { tools, hangs } = hangingTools()
  const options = { place, agents, tools, lanes: { lead: [hang, say('end')] } }
  const { keeper, worker } = await startScaleWorker(options)
  // Older clients do not send their starts to the mailbox.
  await fetch(`${ingress()}/${placeNames(place).trees}/tree-1/run/send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ kind: 'start', request }]),
  })
  await until(() => hangs() === 1)
  await keeper.tell('tree-1', { content: 'one', message: 'm1' })
  await worker.close()
  const next = await startScaleWorker({ ...options, port: worker.port })
  // The call only reads, so it runs again.
  await until(() => hangs() === 2)
  await keeper.tell('tree-1', { content: 'two', message: 'm2' })
  const result = await restAfter(next.keeper, () => next.keeper.cancel('tree-1', 'not needed'))
  expect(result).toMatchObject(cancelled)
})
