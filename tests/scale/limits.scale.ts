import { defineTool, integer, object, type Tool } from '@cadre/core'
import { createRestateKeeper, listenForTrees, loadSdk, placeNames, registerWorker } from '@cadre/restate'
import { call, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import { countingTools } from '../engine/tools.ts'
import { admin, ingress, newPlace, restAfter, startScaleWorker } from './support/scale-worker.ts'

const request = { agent: 'lead', work: 'do it', workspace: '/work' }

/** Returns `size` characters, or an image of that size. */
const produce = defineTool({
  name: 'produce',
  description: 'Produces a long result',
  class: 'read',
  effect: 'read',
  input: object({ text: integer('Characters'), image: integer('Base64 characters') }),
  async run({ text, image }) {
    const images = image > 0 ? { images: [{ mime: 'image/png', data: 'A'.repeat(image) }] } : {}
    return { content: 'x'.repeat(text), ...images }
  },
}) as unknown as Tool

async function invocations(place: string): Promise<{ status: string; last_failure?: string | null }[]> {
  const response = await fetch(`${admin()}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      query: `select status, last_failure from sys_invocation where target_service_name = 'cadre-${place}'`,
    }),
  })
  return ((await response.json()) as { rows: { status: string; last_failure?: string | null }[] }).rows
}

test('a result beyond 32 MiB is recorded, and is complete when the tree is resumed', async () => {
  const place = newPlace()
  const { keeper, team } = await startScaleWorker({
    place,
    agents: [{ name: 'lead' }],
    tools: [produce],
    lanes: { lead: [call(['produce', { text: 34 << 20, image: 0 }]), say('one'), say('two')] },
  })
  const first = await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  expect(first).toMatchObject({ kind: 'report', report: { status: 'completed' } })
  await restAfter(keeper, () => keeper.tell('tree-1', { content: 'more', message: 'm1' }))
  const result = (await keeper.read('tree-1'))?.entries.find(({ role }) => role === 'tool_result')
  expect(result?.content).toHaveLength(34 << 20)
  expect(team.models.requests).toHaveLength(3)
  expect((await invocations(place)).filter(({ last_failure = null }) => last_failure !== null)).toEqual([])
})

test('images are stored outside the journal and returned unchanged', async () => {
  const { keeper } = await startScaleWorker({
    place: newPlace(),
    agents: [{ name: 'lead' }],
    tools: [produce],
    lanes: { lead: [call(['produce', { text: 10, image: 700_000 }]), say('end')] },
  })
  const image = { mime: 'image/jpeg', data: 'B'.repeat(300_000) }
  const work = { content: 'look', images: [image] }
  await restAfter(keeper, () => keeper.start({ ...request, work, id: 'tree-1' }))
  const stored = await keeper.read('tree-1')
  expect(stored?.entries[0]).toMatchObject({ role: 'user', images: [image] })
  const result = stored?.entries.find(({ role }) => role === 'tool_result')
  expect(result?.role === 'tool_result' && result.images?.[0]?.data.length).toBe(700_000)
})

test('a tree whose journal reaches the limit continues in new invocations, without repeating anything', async () => {
  const place = newPlace()
  const rounds = 40
  const effects = countingTools()
  const lines = Array.from({ length: rounds }, (_, n) =>
    call(['launch', { what: `${n} ${'y'.repeat(2_000)}` }]),
  )
  const { keeper } = await startScaleWorker({
    place,
    worker: { rollOver: 40_000 },
    agents: [{ name: 'lead' }, { name: 'worker' }],
    tools: effects.tools,
    lanes: {
      lead: [
        call(['delegateWork', { agentName: 'worker', workDescription: 'x', reportExpectations: 'all' }]),
        say('end'),
      ],
      worker: [...lines, call(['reportOut', { report: 'done' }])],
    },
    limits: { maxRounds: 100 },
  })
  const result = await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  expect(result).toMatchObject({
    kind: 'report',
    report: { status: 'completed', text: 'end', calls: rounds + 2 },
  })
  expect(effects.done).toHaveLength(rounds)
  expect(new Set(effects.done).size).toBe(rounds)
  const [child] = (await keeper.sessions('tree-1')).filter((id) => id !== 'tree-1')
  const stored = await keeper.read(child as string)
  const resumed = stored?.entries.filter(
    (entry) => entry.role === 'event' && entry.type === 'session.resumed',
  )
  expect(resumed?.length).toBeGreaterThan(2)
  expect(stored?.entries.map(({ seq }) => seq)).toEqual(stored?.entries.map((_, index) => index + 1))
})

test('a mailbox that is full refuses messages but no cancel', async () => {
  const place = newPlace()
  const names = placeNames(place)
  // It stores messages and runs no trees.
  const listener = await listenForTrees({
    sdk: await loadSdk(),
    names,
    engineOf: () => undefined,
    host: '127.0.0.1',
    port: 0,
    fresh: 60_000,
    report: () => {},
  })
  const url = `http://127.0.0.1:${listener.port}`
  await registerWorker({ admin: admin(), url, place })
  const keeper = createRestateKeeper({ ingress: ingress(), place })
  await keeper.start({ ...request, id: 'tree-1' })
  // Many clients may send at once, before they know.
  const sendNow = async () => {
    const order = { kind: 'resume', session: 'tree-1', more: 'x'.repeat(2_000_000) }
    const response = await fetch(`${ingress()}/${names.messages}/tree-1/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([order]),
    })
    return response.status
  }
  const tell = (message: string) => keeper.tell('tree-1', { content: 'more', message })
  for (let n = 0; n < 4; n++) expect(await sendNow()).toBe(200)
  expect(await tell('m1')).toBe('queued')
  expect(await sendNow()).toBe(200)
  await expect(tell('m2')).rejects.toMatchObject({
    code: 'backend',
    message:
      'session tree-1 accepts no more messages, because 10 MB of them are waiting. Check that its worker is running, and try again when the session has received them.',
  })
  let stored = 5
  while ((await sendNow()) === 200) stored += 1
  expect(await sendNow()).toBe(507)
  expect(stored).toBe(12)
  expect(await keeper.cancel('tree-1', 'not needed', { root: 'tree-1' })).toBe(true)
  keeper.close()
  await listener.close()
  const agents = [{ name: 'lead' }]
  const port = listener.port
  const next = await startScaleWorker({ place, port, agents, lanes: { lead: [say('end')] } })
  const result = await restAfter(next.keeper, async () => next.keeper.watch('tree-1'))
  expect(result).toMatchObject({ report: { status: 'cancelled' } })
  expect(next.team.models.requests).toHaveLength(0)
})

test('a tree that records more than 50 MB continues in new invocations, and can still be resumed', async () => {
  const place = newPlace()
  const rounds = 170
  let invocationsBegun = 0
  const { keeper } = await startScaleWorker({
    place,
    parts: {
      onTree: (_root, isRunning) => {
        if (isRunning) invocationsBegun += 1
      },
    },
    // Nothing becomes a blob because of its size alone.
    worker: { blob: 1 << 20 },
    agents: [{ name: 'lead' }],
    tools: [produce],
    lanes: {
      lead: [
        ...Array.from({ length: rounds }, (_, n) => call(['produce', { text: 300_000 + n, image: 0 }])),
        say('one'),
        say('two'),
      ],
    },
    limits: { maxRounds: 200 },
  })
  const first = await restAfter(keeper, () => keeper.start({ ...request, id: 'tree-1' }))
  expect(first).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'one' } })
  const second = await restAfter(keeper, () => keeper.tell('tree-1', { content: 'more', message: 'm1' }))
  expect(second).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'two' } })
  const stored = await keeper.read('tree-1')
  const size = stored?.entries.reduce((sum, { content }) => sum + (String(content ?? '').length ?? 0), 0)
  expect(size).toBeGreaterThan(50e6)
  // By default, a journal is rolled over at 16 MiB. The last one is for the message.
  expect(invocationsBegun).toBeGreaterThanOrEqual(4)
  expect((await invocations(place)).filter(({ last_failure = null }) => last_failure !== null)).toEqual([])
})

test('a worker that is lost just before and just after a journal of 16 MiB reaches its limit loses nothing of a tree of more than 50 MB', async () => {
  const place = newPlace()
  const rounds = 170
  const size = 300_000
  /** The limit is reached with the 56th result. The worker is lost in the call before, in that call, and near the second limit. */
  const losses = [54, 55, 111]
  const begun = new Set<number>()
  let lost: () => void = () => {}
  const counting: Tool = {
    ...produce,
    async run(input: { readonly text: number; readonly image: number }, context, signal) {
      const n = input.text - size
      const isFirst = !begun.has(n)
      begun.add(n)
      if (isFirst && losses.includes(n)) {
        lost()
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true })
        })
      }
      return produce.run(input, context, signal)
    },
  }
  let invocationsBegun = 0
  const options = {
    place,
    parts: {
      onTree: (_root: string, isRunning: boolean) => {
        if (isRunning) invocationsBegun += 1
      },
    },
    // Its process lives on, so the tree waits until the lost worker cannot act any more.
    worker: { blob: 1 << 20, fresh: 1_000 },
    agents: [{ name: 'lead' }],
    tools: [counting],
    lanes: {
      lead: [
        ...Array.from({ length: rounds }, (_, n) => call(['produce', { text: size + n, image: 0 }])),
        say('one'),
      ],
    },
    limits: { maxRounds: 200 },
  }
  const isLost = () =>
    new Promise<void>((resolve) => {
      lost = resolve
    })
  let next = isLost()
  const first = await startScaleWorker(options)
  const { port } = first.worker
  const rested = restAfter(first.keeper, () => first.keeper.start({ ...request, id: 'tree-1' }))
  let current = first
  for (let count = losses.length; count > 0; count--) {
    await next
    next = isLost()
    await current.worker.close()
    current = await startScaleWorker({ ...options, port })
  }
  expect(await rested).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'one' } })
  expect(begun.size).toBe(rounds)
  expect(invocationsBegun).toBeGreaterThanOrEqual(3 + 4)
  const stored = await current.keeper.read('tree-1')
  const results = stored?.entries.filter(({ role }) => role === 'tool_result') ?? []
  expect(results.map(({ content }) => String(content).length)).toEqual(
    Array.from({ length: rounds }, (_, n) => size + n),
  )
  expect(stored?.entries.map(({ seq }) => seq)).toEqual(stored?.entries.map((_, index) => index + 1))
})
