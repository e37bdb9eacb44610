import type { Entry, Tool } from '@cadre/core'
import { createRestateKeeper } from '@cadre/restate'
import { call, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import { countingTools } from '../engine/tools.ts'
import { askForLaunch } from './support/ask-for-launch.ts'
import { ingress, newPlace, restAfter, startScaleWorker, toldBy, until } from './support/scale-worker.ts'

const work = (agentName: string) =>
  ['delegateWork', { agentName, workDescription: 'x', reportExpectations: 'all' }] as const
const request = { agent: 'lead', work: 'do it', workspace: '/work' }

/** A tool that waits until the test releases it. */
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
  return { tool, isReached, release: () => release() }
}

test('a tree runs by order, and its sessions can be read by their ids', async () => {
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents: [{ name: 'lead' }, { name: 'worker' }],
    lanes: {
      lead: [call(work('worker')), say('all done')],
      worker: [call(['reportOut', { report: 'built' }])],
    },
  })
  const result = await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  expect(result).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'all done' } })
  const [child] = (await keeper.sessions('tree-1')).filter((id) => id !== 'tree-1')
  await until(async () => (await keeper.rootOf(child as string)) === 'tree-1')
  expect(await keeper.read(child as string)).toMatchObject({
    status: 'completed',
    isRunning: false,
    spec: { root: 'tree-1', agent: { name: 'worker' } },
  })
  expect(await keeper.state('tree-1')).toMatchObject({ kind: 'rested', result: { kind: 'report' } })
  expect(await keeper.state('tree-2')).toEqual({ kind: 'absent' })
  expect(await keeper.read('nobody-1')).toBeUndefined()
  expect(await keeper.tell('nobody-1', { content: 'x', message: 'm' })).toBe('missing')
})

test('questions of two children are answered one by one', async () => {
  const effects = countingTools()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents: [{ name: 'lead' }, { name: 'worker' }],
    tools: effects.tools,
    rules: [askForLaunch],
    lanes: {
      lead: [call(work('worker'), work('worker')), say('all done')],
      worker: [call(['launch', { what: 'rocket' }]), call(['reportOut', { report: 'built' }])],
    },
  })
  const first = await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  if (first.kind !== 'waiting') throw new Error(JSON.stringify(first))
  expect(first.questions).toHaveLength(2)
  const [one, two] = first.questions as [(typeof first.questions)[0], (typeof first.questions)[0]]
  await until(async () => (await keeper.rootOf(two.session)) === 'tree-1')
  const second = await restAfter(keeper, () => keeper.answer(one, { decision: 'approve', by: 'anna' }))
  expect(second).toMatchObject({ kind: 'waiting', questions: [two] })
  const last = await restAfter(keeper, () => keeper.answer(two, { decision: 'approve', by: 'anna' }))
  expect(last).toMatchObject({ kind: 'report', report: { status: 'completed' } })
  expect(effects.done).toEqual(['launch rocket', 'launch rocket'])
})

test('a running tree receives messages once, and archives its record on request', async () => {
  const { tool, isReached, release } = waitingTool()
  const place = newPlace()
  const { keeper, team } = await startScaleWorker({
    place,
    agents: [{ name: 'lead' }],
    tools: [tool],
    lanes: { lead: [call(['wait', { path: 'a' }]), say('end')] },
  })
  const other = createRestateKeeper({ ingress: ingress(), place })
  const rest = restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  await isReached
  expect(await other.state('tree-1')).toEqual({ kind: 'running' })
  await other.tell('tree-1', { content: 'mind the gap', message: 'm1' })
  await other.tell('tree-1', { content: 'mind the gap', message: 'm1' })
  await other.refresh('tree-1')
  expect(await other.read('tree-1')).toMatchObject({ status: 'active', isRunning: true })
  release()
  expect(await rest).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'end' } })
  expect(toldBy(await keeper.read('tree-1'))).toEqual(['do it', 'mind the gap'])
  expect(team.models.requests.at(-1)?.messages.map(({ content }) => content)).toContain('mind the gap')
  other.close()
})

test('a running tree archives its record by itself, and every client hears of it and of its rest', async () => {
  const { tool, isReached, release } = waitingTool()
  const place = newPlace()
  const { keeper } = await startScaleWorker({
    place,
    agents: [{ name: 'lead' }, { name: 'worker' }],
    tools: [tool],
    lanes: {
      lead: [call(work('worker')), say('end')],
      worker: [call(['wait', { path: 'a' }]), call(['reportOut', { report: 'built' }])],
    },
  })
  const other = createRestateKeeper({ ingress: ingress(), place })
  const next = (one: typeof keeper) =>
    new Promise<string>((resolve) => {
      one.onChange(resolve)
      one.onRest((root, { kind }) => resolve(`${root} ${kind}`))
    })
  const changes = Promise.all([next(keeper), next(other)])
  await keeper.start({ ...request, id: 'tree-1' })
  other.watch('tree-1')
  await isReached
  expect(await changes).toEqual(['tree-1', 'tree-1'])
  const { sessions, read } = await other.readTree('tree-1')
  const [child] = [...sessions.keys()].filter((id) => id !== 'tree-1')
  expect(await read(child as string)).toMatchObject({ status: 'active', spec: { root: 'tree-1' } })
  expect(await other.rootOf(child as string)).toBe('tree-1')
  const rests = Promise.all([restAfter(keeper, async () => {}), restAfter(other, async () => {})])
  release()
  expect(await rests).toMatchObject([{ report: { text: 'end' } }, { report: { text: 'end' } }])
  const after = (await other.readTree('tree-1')).sessions
  expect(after.get(child as string)).not.toBe(sessions.get(child as string))
  other.close()
})

test('a tree is known as soon as its start is queued, and a failed start can be repeated', async () => {
  const place = newPlace()
  const agents = [{ name: 'lead' }]
  const lanes = { lead: [say('end'), say('again')] }
  const { keeper, worker } = await startScaleWorker({
    place,
    agents,
    lanes,
    agentsNow: (all) => ({ ...all, get: () => undefined }),
  })
  const failed = await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  expect(failed).toMatchObject({ kind: 'failed', code: 'not_found' })
  await keeper.start({ ...request, id: 'tree-2' })
  expect(await keeper.tell('tree-2', { content: 'more', message: 'm1' })).toBe('queued')
  expect((await keeper.state('tree-2')).kind).not.toBe('absent')
  await worker.close()
  const next = await startScaleWorker({ place, agents, lanes })
  const result = await restAfter(next.keeper, () => next.keeper.start({ ...request, id: 'tree-1' }))
  expect(result).toMatchObject({ kind: 'report', report: { status: 'completed' } })
})

test('a start does not resume a session of another home that has the same id', async () => {
  const place = newPlace()
  const { keeper, team } = await startScaleWorker({
    place,
    agents: [{ name: 'lead' }],
    lanes: { lead: [say('one'), say('two')] },
  })
  await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  const other = createRestateKeeper({ ingress: ingress(), place })
  await expect(other.start({ ...request, work: 'something else', id: 'tree-1' })).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('tree-1 already exists'),
  })
  const again = await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  expect(again).toMatchObject({ report: { text: 'one' } })
  expect(team.models.requests).toHaveLength(1)
  other.close()
})

test('a message wakes a tree that has ended', async () => {
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents: [{ name: 'lead' }],
    lanes: { lead: [say('one'), say('two')] },
  })
  await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  const result = await restAfter(keeper, () => keeper.tell('tree-1', { content: 'more', message: 'm1' }))
  expect(result).toMatchObject({ kind: 'report', report: { text: 'two' } })
  expect(toldBy(await keeper.read('tree-1'))).toEqual(['do it', 'more'])
})

test('cancelling ends a running tree, and one that waits for a person', async () => {
  const { tool, isReached } = waitingTool()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents: [{ name: 'lead' }, { name: 'worker' }, { name: 'asker' }],
    tools: [tool, ...countingTools().tools],
    rules: [askForLaunch],
    lanes: {
      lead: [call(work('worker')), say('end')],
      worker: [call(['wait', { path: 'a' }])],
      asker: [call(['launch', { what: 'rocket' }])],
    },
  })
  const rest = restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  await isReached
  expect(await keeper.cancel('tree-1', 'not needed')).toBe(true)
  expect(await rest).toMatchObject({ kind: 'report', report: { status: 'cancelled' } })
  expect(await keeper.cancel('tree-1', 'not needed')).toBe(false)
  const waiting = await restAfter(keeper, () => keeper.start({ ...request, agent: 'asker', id: 'tree-2' }))
  expect(waiting.kind).toBe('waiting')
  const cancelled = await restAfter(keeper, () => keeper.cancel('tree-2', 'not needed'))
  expect(cancelled).toMatchObject({ kind: 'report', report: { status: 'cancelled' } })
  // A resume that was sent before, or an answer that comes late.
  const resumed = await restAfter(keeper, () => keeper.resume('tree-2'))
  expect(resumed).toMatchObject({ kind: 'report', report: { status: 'cancelled' } })
  const [question] = waiting.kind === 'waiting' ? waiting.questions : []
  if (question === undefined) throw new Error('the tree did not ask')
  await restAfter(keeper, () => keeper.answer(question, { decision: 'approve', by: 'anna' }))
  expect(await keeper.read('tree-2')).toMatchObject({ status: 'error', outcome: 'cancelled' })
})

test('a person’s edit reaches a running session, and is merged with what it recorded since', async () => {
  const { tool, isReached, release } = waitingTool()
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents: [{ name: 'lead' }],
    tools: [tool],
    lanes: { lead: [call(['wait', { path: 'a' }]), say('end')] },
  })
  const rest = restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  await isReached
  await keeper.refresh('tree-1')
  const before = await keeper.read('tree-1')
  const seen = (before?.entries ?? []).slice(0, 2)
  const added = { role: 'user', content: 'written by hand', seq: 3, timestamp: seen[0]?.timestamp } as Entry
  const edit = { id: 'e1', entries: [...seen, added], base: 2, summary: 'A message was added.' }
  await keeper.edit('tree-1', edit)
  await keeper.edit('tree-1', edit)
  await keeper.refresh('tree-1')
  release()
  expect(await rest).toMatchObject({ report: { status: 'completed' } })
  const after = await keeper.read('tree-1')
  expect(toldBy(after)).toEqual(['do it', 'written by hand'])
  expect(after?.entries.map(({ seq }) => seq)).toEqual(after?.entries.map((_, index) => index + 1))
  const edits = after?.entries.filter((entry) => entry.role === 'event' && entry.type === 'journal.edited')
  expect(edits).toMatchObject([{ content: 'A message was added.', edit: 'e1' }])
})

test('an edit of a running session that removes its work starts over, and what it recorded since is outdated', async () => {
  const { tool, isReached, release } = waitingTool()
  const { keeper, team } = await startScaleWorker({
    place: newPlace(),
    agents: [{ name: 'lead' }],
    tools: [tool],
    lanes: { lead: [call(['wait', { path: 'a' }]), say('done differently')] },
  })
  const rest = restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  await isReached
  await keeper.refresh('tree-1')
  const before = (await keeper.read('tree-1'))?.entries ?? []
  const changed = { ...before[0], content: 'do it differently' } as Entry
  const base = before.at(-1)?.seq ?? 0
  await keeper.edit('tree-1', { id: 'e1', entries: [changed], base, summary: 'x', systemPrompt: 'Be brief.' })
  await keeper.refresh('tree-1')
  release()
  expect(await rest).toMatchObject({ report: { status: 'completed', text: 'done differently' } })
  expect(toldBy(await keeper.read('tree-1'))).toEqual(['do it differently'])
  const [, next] = team.models.requests
  expect(JSON.stringify(next)).toContain('Be brief.')
  expect(next?.messages.map(({ role, content }) => [role, content])).toEqual([['user', 'do it differently']])
})

test('an edit of a session that rests changes only its record, or resumes it', async () => {
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents: [{ name: 'lead' }],
    lanes: { lead: [say('one'), say('two')] },
  })
  const first = await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  const entries = (await keeper.read('tree-1'))?.entries ?? []
  const base = entries.at(-1)?.seq ?? 0
  const changed = entries.map((entry) =>
    entry.role === 'assistant' ? { ...entry, content: 'another one' } : entry,
  )
  const edited = await restAfter(keeper, () =>
    keeper.edit('tree-1', { id: 'e1', entries: changed, base, summary: 'x' }),
  )
  expect(edited).toEqual(first)
  const now = (await keeper.read('tree-1'))?.entries ?? []
  expect(now.map(({ content }) => content)).toContain('another one')
  const more = { role: 'user', content: 'more', seq: 0, timestamp: now[0]?.timestamp } as Entry
  const edit = { id: 'e2', entries: [...now, more], base: now.at(-1)?.seq ?? 0, summary: 'x', resumes: true }
  expect(await restAfter(keeper, () => keeper.edit('tree-1', edit))).toMatchObject({
    report: { text: 'two' },
  })
})

test('an order that cannot be carried out is reported', async () => {
  const { keeper } = await startScaleWorker({ place: newPlace(), agents: [{ name: 'lead' }], lanes: {} })
  const result = await restAfter(keeper, () => keeper.start({ ...request, agent: 'nobody', id: 'tree-1' }))
  expect(result).toMatchObject({ kind: 'failed', code: 'not_found' })
  const nowhere = createRestateKeeper({ ingress: 'http://127.0.0.1:9', place: 'x' })
  await expect(nowhere.state('tree-1')).rejects.toMatchObject({
    code: 'backend',
    message: expect.stringContaining('cannot reach the Restate server at http://127.0.0.1:9'),
  })
  const unknown = createRestateKeeper({ ingress: ingress(), place: 'unknown' })
  await expect(unknown.state('tree-1')).rejects.toMatchObject({
    message: expect.stringContaining('Start a worker for this place'),
  })
})
