import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Orchestrator, type SessionSpec, stopGrace } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { createFakeClock } from '@cadre/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Sdk } from '../load-sdk.ts'
import { Archive } from '../log/archive.ts'
import type { LogItem } from '../log/log-item.ts'
import { TreeLog } from '../log/tree-log.ts'
import { onAbort } from '../on-abort.ts'
import type { TreeOrder } from '../tree-order.ts'
import type { TreeAttempt } from './invoke-tree.ts'
import { RestateEngine } from './restate-engine.ts'

const options = {
  sdk: {} as Sdk,
  clock: systemClock,
  // Nothing listens there: a request would reject with `backend`.
  ingress: 'http://127.0.0.1:9',
  place: 'test',
}

test('a closed engine gives up a tree that becomes live afterwards, so that another engine gets it', () => {
  const engine = new RestateEngine(options)
  let isDead = false
  const log = {
    die: () => {
      isDead = true
    },
  }
  engine.close()
  engine.live({ log } as unknown as TreeAttempt)
  expect(isDead).toBe(true)
  expect(engine.roots()).toEqual([])
})

test('a closed engine requests no trees', async () => {
  const engine = new RestateEngine(options)
  engine.close()
  const spec = { id: 'lead-1', root: 'lead-1' } as SessionSpec
  await expect(engine.open(spec)).rejects.toMatchObject({ code: 'owned' })
  expect(engine.lent.requested.size).toBe(0)
})

/** An attempt of the server to run the tree arrives on this engine. Nothing acknowledges its batches. */
function attemptOn(engine: RestateEngine, order: TreeOrder): TreeAttempt {
  const archive = new Archive(null)
  const log = new TreeLog({ ...engine.logOptions, root: 'lead-1', archive, goLive: () => {} })
  onAbort(engine.arrive('lead-1').lost, () => log.die())
  return {
    log,
    archive,
    order: [order],
    box: undefined,
    previous: undefined,
    cancelled: new AbortController().signal,
    onMessage: () => {},
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a new attempt ends an earlier one that has not noticed its loss', async () => {
  const engine = new RestateEngine(options)
  const first = attemptOn(engine, { kind: 'lend' })
  engine.live(first)
  await settled()
  expect(engine.logOf('lead-1')).toBe(first.log)
  const second = attemptOn(engine, { kind: 'lend' })
  engine.live(second)
  await settled()
  expect(first.log.isDead).toBe(true)
  expect(engine.logOf('lead-1')).toBe(second.log)
  expect(second.log.isDead).toBe(false)
})

test('a tree rests only when an earlier life on another machine can no longer act', async () => {
  const clock = createFakeClock()
  const engine = new RestateEngine({ ...options, clock })
  const start = async () => ({ kind: 'waiting', questions: [] })
  engine.orders = { orchestrator: { start } as unknown as Orchestrator, endSession: async () => {} }
  const attempt = attemptOn(engine, {
    kind: 'start',
    request: { agent: 'lead', work: 'x', workspace: '/work' },
  })
  attempt.log.lives.push({ token: 'other', pid: 1, host: 'elsewhere', boot: 'other' })
  engine.live(attempt)
  for (let turn = 0; turn < 20; turn++) await settled()
  expect(attempt.log.isClosed).toBe(false)
  clock.advance(2 * engine.limits.fresh + stopGrace)
  for (let turn = 0; turn < 20; turn++) await settled()
  expect(attempt.log.isClosed).toBe(true)
})

test.each([true, false])(
  'a tree continues with an answer that an earlier life has recorded before it was lost: %s',
  async (isAnswered) => {
    const engine = new RestateEngine(options)
    engine.orders = { orchestrator: {} as Orchestrator, endSession: async () => {} }
    const spec = { id: 'lead-1', root: 'lead-1' } as SessionSpec
    const edit = { id: 'edit-1', entries: [], base: 0, summary: 'A message was added.' }
    const message = { kind: 'edit', session: 'lead-1', ...edit } as const
    const question = { session: 'lead-1', name: 'approval/call_1' }
    const waiting = { kind: 'waiting', session: 'lead-1', questions: [question] } as const
    const attempt: TreeAttempt = { ...attemptOn(engine, { kind: 'message', message }), previous: [waiting] }
    const { log } = attempt
    log.add({ t: 'open', spec })
    // The answer came while the earlier life carried out the edit.
    const answer = { kind: 'answer', ...question, answer: { decision: 'approve' } } as const
    if (isAnswered) log.heardBefore.set(2, [{ kind: 'message', message: answer }])
    const added: LogItem[] = []
    const add = log.add.bind(log)
    log.add = (item) => {
      added.push(item)
      add(item)
    }
    engine.live(attempt)
    while (!log.isClosed) await settled()
    expect(added.at(-1)).toMatchObject(
      isAnswered
        ? { result: { kind: 'continued' }, orders: [[{ kind: 'resume', session: 'lead-1' }]] }
        : { result: waiting, orders: [] },
    )
  },
)

test('a tree is given up if its last run here does not stop, and continues here once it has', async () => {
  const clock = createFakeClock()
  const reports: string[] = []
  const engine = new RestateEngine({ ...options, clock, report: (message) => reports.push(message) })
  let end: (() => void) | undefined
  const start = () => new Promise<void>((resolve) => (end = resolve))
  engine.orders = {
    orchestrator: { start } as unknown as Orchestrator,
    endSession: async () => {},
  }
  const order: TreeOrder = { kind: 'start', request: { agent: 'lead', work: 'x', workspace: '/work' } }
  engine.live(attemptOn(engine, order))
  while (end === undefined) await settled()
  const second = attemptOn(engine, order)
  engine.live(second)
  await settled()
  expect(second.log.isDead).toBe(false)
  clock.advance(30_000)
  await settled()
  expect(second.log.isDead).toBe(true)
  expect(reports).toEqual([
    'lead-1 cannot continue here, because its last run on this worker has not stopped. If this repeats, restart the worker.',
  ])
  const third = attemptOn(engine, order)
  engine.live(third)
  await settled()
  expect(engine.logOf('lead-1')).toBeUndefined()
  end()
  await settled()
  expect(engine.logOf('lead-1')).toBe(third.log)
})

describe('of several attempts that reach this worker', () => {
  const order: TreeOrder = { kind: 'start', request: { agent: 'lead', work: 'x', workspace: '/work' } }

  test('only the last one continues the tree when an earlier life has stopped', async () => {
    const engine = new RestateEngine(options)
    const lives: (() => void)[] = []
    const start = () => new Promise<void>((resolve) => lives.push(resolve))
    engine.orders = { orchestrator: { start } as unknown as Orchestrator, endSession: async () => {} }
    engine.live(attemptOn(engine, order))
    while (lives.length === 0) await settled()
    const [second, third] = [attemptOn(engine, order), attemptOn(engine, order)]
    engine.live(second)
    engine.live(third)
    await settled()
    lives[0]?.()
    for (let turn = 0; turn < 20; turn++) await settled()
    expect(engine.logOf('lead-1')).toBe(third.log)
    expect([second.log.isDead, third.log.isDead]).toEqual([true, false])
    expect(lives).toHaveLength(2)
  })

  test('one that has read its journal too late does not end the one that arrived after it', async () => {
    const engine = new RestateEngine(options)
    const [late, newest] = [attemptOn(engine, { kind: 'lend' }), attemptOn(engine, { kind: 'lend' })] as const
    engine.live(newest)
    await settled()
    engine.live(late)
    await settled()
    expect(newest.log.isDead).toBe(false)
    expect(engine.logOf('lead-1')).toBe(newest.log)
  })
})

/** A server that knows an archive of this version for each tree. It fails as often as it is told. */
async function startIngress(version: number) {
  const state = { failures: 0, asked: 0, version }
  const server = createServer((request, response) => {
    state.asked += 1
    if (state.failures-- > 0) return void response.writeHead(503).end('restarting')
    const archive = JSON.stringify({ version: state.version, next: 0, sessions: {} })
    if (request.url?.endsWith('/read')) return void response.end(JSON.stringify([archive, null]))
    response.end(JSON.stringify({ root: null, charged: ['lead-2'] }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { state, ingress: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('what core reads is read again while the server does not answer', async () => {
  const { state, ingress } = await startIngress(1)
  const engine = new RestateEngine({ ...options, ingress })
  state.failures = 2
  expect(await engine.charged('lead-1')).toEqual(['lead-2'])
  state.failures = 2
  expect(await engine.read('lead-1')).toBeUndefined()
  state.failures = Number.POSITIVE_INFINITY
  const read = engine.read('lead-1')
  engine.close()
  await expect(read).rejects.toMatchObject({ code: 'owned' })
})

test('a child that the directory does not know yet is found after its tree was read, so that a budget counts it', async () => {
  const session = { status: 'completed', outcome: null, chunks: [] }
  const head = { version: 1, next: 0, sessions: { 'lead-1': session, 'worker-1': session } }
  const spec = (id: string) => JSON.stringify([{ id, root: 'lead-1', created: 'now' }])
  const values: Readonly<Record<string, string>> = {
    head: JSON.stringify(head),
    'spec/lead-1': spec('lead-1'),
    'spec/worker-1': spec('worker-1'),
  }
  const answer = (url: string, body: string): unknown => {
    const [, object, key, handler] = url.split('/')
    if (handler === 'get') return { root: null, charged: [] }
    if (object !== 'cadre-test') return null
    return (JSON.parse(body) as string[]).map((name) => (key === 'lead-1' ? (values[name] ?? null) : null))
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (text) => {
      body += text
    })
    request.on('end', () => response.end(JSON.stringify(answer(request.url ?? '', body))))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const ingress = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const engine = new RestateEngine({ ...options, ingress })
  expect(await engine.read('worker-1')).toBeUndefined()
  expect(await engine.read('lead-1')).toMatchObject({ spec: { id: 'lead-1' } })
  expect(await engine.read('worker-1')).toMatchObject({ spec: { id: 'worker-1' } })
})

/** A tree that has rested here, and whose archive has version 1. */
async function restOn(engine: RestateEngine): Promise<void> {
  const attempt = attemptOn(engine, { kind: 'lend' })
  engine.live(attempt)
  void attempt.log.take()
  attempt.log.add({ t: 'close', result: { kind: 'continued' }, isListening: false, orders: [] })
  await attempt.archive.write({ set: () => {}, clear: () => {}, get: async () => null })
  engine.over(attempt, true)
}

test('a tree that rests is removed from memory when the server shows its record, and not before', async () => {
  const { state, ingress } = await startIngress(0)
  const engine = new RestateEngine({ ...options, ingress })
  onTestFinished(() => engine.close())
  await restOn(engine)
  await vi.waitUntil(() => state.asked > 0, { timeout: 10_000 })
  expect(engine.rested()).toEqual(['lead-1'])
  state.version = 1
  await vi.waitUntil(() => engine.rested().length === 0, { timeout: 10_000 })
})

describe('a worker that is draining', () => {
  test('waits for an attempt that has not read its journal yet', async () => {
    const { ingress } = await startIngress(1)
    const engine = new RestateEngine({ ...options, ingress })
    const arrival = engine.arrive('lead-1')
    let isDrained = false
    const drained = engine.drain().then(() => {
      isDrained = true
    })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(isDrained).toBe(false)
    arrival.left(true)
    await drained
  })

  test('waits for the record of its last tree if the server does not answer', async () => {
    const { state, ingress } = await startIngress(1)
    const engine = new RestateEngine({ ...options, ingress })
    onTestFinished(() => engine.close())
    await restOn(engine)
    engine.arrive('lead-1').left(true)
    state.failures = 3
    await engine.drain()
    expect(state.asked).toBeGreaterThan(3)
  })
})

test('what the archive and the mailbox add to a journal counts when it is rolled over', async () => {
  const engine = new RestateEngine({ ...options, limits: { rollOver: 1_000 } })
  let isPaused = false
  const orchestrator = {
    start: () => new Promise(() => {}),
    pause: () => {
      isPaused = true
    },
  } as unknown as Orchestrator
  engine.orders = { orchestrator, endSession: async () => {} }
  const request = { agent: 'lead', work: 'x', workspace: '/work' }
  const attempt = attemptOn(engine, { kind: 'start', request })
  engine.live(attempt)
  for (let turn = 0; turn < 10; turn++) await settled()
  engine.flushed(attempt, [])
  expect(isPaused).toBe(false)
  const { archive, log } = attempt
  archive.apply({ t: 'open', id: 'lead-1', spec: [{ id: 'lead-1', title: 'x'.repeat(600) } as never] })
  await archive.write({ set: () => {}, clear: () => {}, get: async () => null })
  log.arrive({ n: 1, order: [{ kind: 'resume', session: 'x'.repeat(600) }] })
  engine.flushed(attempt, [])
  expect(isPaused).toBe(true)
})
