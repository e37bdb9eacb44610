import type { Entry, SessionSpec, StoredSession } from '@cadre/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryHome } from '../daemon/daemon.spec-helpers.ts'
import { createRemoteKeeper } from './create-remote-keeper.ts'
import { spec, timestamp } from './remote.spec-helpers.ts'
import type { RemoteResult, RemoteTrees } from './remote-trees.ts'
import { SessionMirror } from './session-mirror.ts'

const entries: readonly Entry[] = [
  { seq: 1, timestamp, role: 'user', content: 'Do it.' },
  { seq: 2, timestamp, role: 'assistant', content: 'done' },
]
const failed = { status: 'error', outcome: 'error' } as const
const cancelled = { status: 'error', outcome: 'cancelled' } as const
const active = { status: 'active', outcome: undefined } as const
const work = { content: 'more', message: 'm1' }
const rested: RemoteResult = { kind: 'report', report: { status: 'completed' } as never }

interface World {
  readonly at?: ReturnType<typeof temporaryHome>
  /** How the file shows lead-1. Absent: it has no file. */
  readonly shown?: Pick<StoredSession, 'status' | 'outcome'>
  readonly parallel?: number
  /** Other sessions of the tree. */
  readonly children?: readonly SessionSpec[]
}

/** A keeper, and a server that stores its orders in `orders`. */
async function openKeeper({ at = temporaryHome(), shown, parallel = 5, children = [] }: World) {
  const { home, workspace } = at
  const orders: string[] = []
  const keys: unknown[] = []
  const owned = new Set<string>()
  const gates = { worker: Promise.resolve(), server: Promise.resolve(), models: Promise.resolve() }
  const unreadable = new Set<string>()
  const state = { kind: 'rested' as 'absent' | 'running' | 'rested' }
  const sessions = new Map([spec, ...children].map((one) => [one.id, one]))
  let rest: (root: string, result: RemoteResult) => void = () => {}
  const read = async (id: string): Promise<StoredSession> => {
    await gates.worker
    if (unreadable.has(id)) throw new Error(`cannot read ${id}`)
    return { spec: sessions.get(id) as SessionSpec, ...(shown ?? failed), updated: timestamp, entries }
  }
  const order =
    (kind: string) =>
    async (session: string | { readonly id: string }, ...more: unknown[]) => {
      keys.push(more[1])
      await gates.server
      orders.push(`${kind} ${typeof session === 'string' ? session : session.id}`)
    }
  const ignore = () => () => {}
  const trees = {
    read,
    readTree: async () => ({ sessions: new Map([...sessions.keys()].map((id) => [id, '1'])), read }),
    state: async () => {
      await gates.worker
      return state
    },
    ...{ start: order('start'), tell: order('tell'), resume: order('resume'), cancel: order('cancel') },
    onRest(listener: typeof rest) {
      rest = listener
      return () => {}
    },
    ...{ onChange: ignore, onOtherChange: ignore, watch: () => {}, close: () => {} },
  } as unknown as RemoteTrees
  const held: string[] = []
  const engine = {
    async hold(root: string) {
      if (owned.has(root)) throw new Error('another process runs it')
      held.push(root)
    },
    letGo: (root: string) => void held.splice(held.indexOf(root), 1),
    list: async () => [],
  } as never
  if (shown !== undefined) await new SessionMirror({ home, engine, trees, place: 'lab' }).sync('lead-1')
  const parts = {
    agents: { get: () => spec.agent, list: () => [spec.agent] },
    models: { resolve: () => gates.models.then(() => ({ kind: 'found', model: { id: 'm' } })) },
  }
  const keeper = createRemoteKeeper({
    ...{ home, engine, trees, place: 'lab', workspace, trusted: true },
    parallel: () => parallel,
    parts: () => ({ parts }) as never,
    note: () => {},
    problems: { report: () => {}, list: () => [] },
    rested: () => {},
  })
  onTestFinished(() => keeper.clear())
  return {
    ...{ at, keeper, orders, keys, owned, held, unreadable, state, sessions },
    rest: (root: string, result = rested) => rest(root, result),
    /** Stops a part of the world. The returned function starts it again. */
    stop(part: keyof typeof gates) {
      let go = () => {}
      gates[part] = new Promise((resolve) => {
        go = resolve
      })
      return go
    },
  }
}

/** Lets everything happen that needs no more than what is available now. */
async function settle() {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

const start = (id: string) => ({ id, agent: 'lead', work: { content: 'x' } })

test('a session that is cancelled while its start is prepared does not start', async () => {
  const { keeper, orders, stop, held } = await openKeeper({})
  await keeper.hold(false)
  await keeper.start(start('lead-1'))
  const go = stop('models')
  keeper.release()
  await settle()
  expect(await keeper.cancel('lead-1', 'x')).toBe(true)
  expect((await keeper.state('lead-1')).kind).toBe('absent')
  go()
  await settle()
  expect(orders).toEqual([])
  expect(held).toEqual([])
})

test('a session whose start is being sent is cancelled after it', async () => {
  const { keeper, orders, stop, state } = await openKeeper({})
  state.kind = 'running'
  const go = stop('server')
  await keeper.start(start('lead-1'))
  await settle()
  expect(await keeper.cancel('lead-1', 'x')).toBe(true)
  await settle()
  go()
  await vi.waitFor(() => expect(orders).toEqual(['start lead-1', 'cancel lead-1']))
})

test('a start that an earlier daemon may have sent is cancelled, unless the server does not know it', async () => {
  const first = await openKeeper({})
  first.stop('server')
  await first.keeper.start(start('lead-1'))
  first.keeper.clear()
  const second = await openKeeper({ at: first.at })
  second.state.kind = 'running'
  expect(await second.keeper.cancel('lead-1', 'x')).toBe(true)
  await vi.waitFor(() => expect(second.orders).toEqual(['cancel lead-1']))

  await first.keeper.start(start('lead-2'))
  const third = await openKeeper({ at: first.at })
  third.state.kind = 'absent'
  expect(await third.keeper.cancel('lead-2', 'x')).toBe(true)
  await vi.waitFor(() => expect(third.held).toEqual([]))
  expect(third.orders).toEqual([])
  expect(third.keeper.counts()).toEqual({ running: [], queued: [] })
})

test('a second cancel does not take back the first', async () => {
  const first = await openKeeper({})
  first.stop('server')
  await first.keeper.start(start('lead-1'))
  first.keeper.clear()
  const second = await openKeeper({ at: first.at })
  second.state.kind = 'running'
  const go = second.stop('worker')
  expect(await second.keeper.cancel('lead-1', 'x')).toBe(true)
  await settle()
  expect(await second.keeper.cancel('lead-1', 'x')).toBe(true)
  go()
  await vi.waitFor(() => expect(second.orders).toEqual(['cancel lead-1']))
})

test('a message that a cancel elsewhere has taken back is dropped, not sent forever', async () => {
  const { keeper, orders, rest } = await openKeeper({ shown: cancelled })
  await keeper.tell('lead-1', work)
  for (let rests = 0; rests < 3; rests++) {
    await vi.waitFor(() => expect(orders).toHaveLength(rests + 1))
    await settle()
    rest('lead-1')
    await settle()
  }
  await settle()
  expect(orders).toEqual(['tell lead-1', 'tell lead-1', 'tell lead-1'])
  expect((await keeper.state('lead-1')).kind).not.toBe('running')
})

test('a message that a worker rejects is kept, and sent again as a new order after a pause', async () => {
  const { keeper, orders, keys, rest } = await openKeeper({ shown: failed })
  onTestFinished(() => void vi.restoreAllMocks())
  const notices = [{ code: 'unknown_model', message: 'no model can be used' }]
  const rejected: RemoteResult = { kind: 'report', report: { status: 'error', notices } as never }
  await keeper.tell('lead-1', work)
  for (let rests = 0; rests < 3; rests++) {
    await vi.waitFor(() => expect(orders).toHaveLength(rests + 1))
    await settle()
    rest('lead-1', rejected)
    await settle()
  }
  await keeper.retry()
  await settle()
  expect(orders).toHaveLength(3)
  expect(await keeper.state('lead-1')).toEqual({ kind: 'running', stuck: 'no model can be used' })
  expect(await keeper.delivery('lead-1', work.message)).toBe('queued')
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 100_000)
  await keeper.retry()
  await vi.waitFor(() => expect(orders).toHaveLength(4))
  expect(keys).toEqual([undefined, undefined, undefined, expect.any(String)])
})

test.each(['cancel', 'cancelElsewhere'] as const)(
  'a person resumes a failed session while no worker runs, and cancels it: it does not run (%s)',
  async (by) => {
    const { keeper, orders, stop, held } = await openKeeper({ shown: failed })
    const workerReturns = stop('worker')
    const resumed = keeper.resumeOnRequest('lead-1')
    await settle()
    expect((await keeper.state('lead-1')).kind).toBe('running')
    expect(await keeper[by]?.('lead-1', 'x')).toBe(true)
    await resumed
    expect((await keeper.state('lead-1')).kind).toBe('ended')
    // A request is answered, although there is nothing left to cancel.
    expect(await keeper[by]?.('lead-1', 'x')).toBe(by === 'cancelElsewhere')
    workerReturns()
    await settle()
    expect(orders).toEqual([])
    expect(held).toEqual([])
  },
)

test('a person sends a message to an ended session while no worker runs, and cancels it: it does not run', async () => {
  const { keeper, orders, stop } = await openKeeper({ shown: failed })
  const workerReturns = stop('worker')
  await keeper.tell('lead-1', work)
  await settle()
  expect((await keeper.state('lead-1')).kind).toBe('running')
  expect(await keeper.cancel('lead-1', 'x')).toBe(true)
  workerReturns()
  await settle()
  expect(orders).toEqual([])
  expect(await keeper.delivery('lead-1', work.message)).toBe('unknown')
})

test.each(['tell', 'resume'] as const)(
  'a %s that was sent is cancelled, although the file shows an ended session',
  async (kind) => {
    const { keeper, orders } = await openKeeper({ shown: failed })
    const sent = kind === 'tell' ? keeper.tell('lead-1', work) : keeper.resumeOnRequest('lead-1')
    await vi.waitFor(() => expect(orders).toEqual([`${kind} lead-1`]))
    expect(await keeper.cancel('lead-1', 'x')).toBe(true)
    await sent
    await vi.waitFor(() => expect(orders).toEqual([`${kind} lead-1`, 'cancel lead-1']))
  },
)

test('a message to a child while no worker runs is not sent if the tree is cancelled', async () => {
  const at = temporaryHome()
  const child = { ...spec, id: 'child-1', parent: { session: 'lead-1', call: 'c1' } }
  const grandchild = { ...spec, id: 'child-2', parent: { session: 'child-1', call: 'c1' } }
  const other = { ...spec, id: 'child-3', parent: { session: 'lead-1', call: 'c2' } }
  const { keeper, orders, stop } = await openKeeper({
    at,
    shown: active,
    children: [child, grandchild, other],
  })
  const workerReturns = stop('worker')
  await keeper.tell('child-2', work)
  await keeper.tell('child-3', work)
  await settle()
  expect(await keeper.cancel('child-1', 'x')).toBe(true)
  workerReturns()
  await vi.waitFor(() => expect(orders.toSorted()).toEqual(['cancel child-1', 'tell child-3']))
  await settle()
  expect(orders).toHaveLength(2)
  expect(await keeper.delivery('child-2', work.message)).toBe('unknown')
})

test('a session that is told something after its cancel continues', async () => {
  const { keeper, orders, stop } = await openKeeper({ shown: active })
  const go = stop('server')
  expect(await keeper.cancel('lead-1', 'x')).toBe(true)
  await keeper.tell('lead-1', work)
  go()
  await vi.waitFor(() => expect(orders).toEqual(['cancel lead-1', 'tell lead-1']))
})

test('a resume that was accepted while no worker runs survives a restart of the daemon, and is sent once', async () => {
  const first = await openKeeper({ shown: failed })
  first.stop('worker')
  const accepted = first.keeper.resumeOnRequest('lead-1')
  await settle()
  first.keeper.clear()
  const second = await openKeeper({ at: first.at, shown: failed })
  await second.keeper.recover()
  await vi.waitFor(() => expect(second.orders).toEqual(['resume lead-1']))
  // A worker may refuse it.
  second.rest('lead-1')
  await vi.waitFor(async () => expect((await second.keeper.state('lead-1')).kind).toBe('ended'))
  await second.keeper.recover()
  await settle()
  expect(second.orders).toEqual(['resume lead-1'])
  await accepted
})

test('a resume that an earlier daemon has sent is not sent again while the tree runs', async () => {
  const first = await openKeeper({ shown: failed })
  const accepted = first.keeper.resumeOnRequest('lead-1')
  await vi.waitFor(() => expect(first.orders).toEqual(['resume lead-1']))
  first.keeper.clear()
  const second = await openKeeper({ at: first.at, shown: failed })
  second.state.kind = 'running'
  await second.keeper.recover()
  await settle()
  expect((await second.keeper.state('lead-1')).kind).toBe('running')
  expect(second.orders).toEqual([])
  await accepted
})

test('a resume that an earlier daemon may have sent is sent as the same order, and another one as another', async () => {
  const first = await openKeeper({ shown: failed })
  first.stop('server')
  const accepted = first.keeper.resumeOnRequest('lead-1')
  await vi.waitFor(() => expect(first.keys).toHaveLength(1))
  first.keeper.clear()
  await accepted
  const second = await openKeeper({ at: first.at, shown: failed })
  await second.keeper.recover()
  await vi.waitFor(() => expect(second.orders).toEqual(['resume lead-1']))
  expect(second.keys).toEqual([expect.any(String)])
  expect(second.keys).toEqual(first.keys)
  second.rest('lead-1')
  await settle()
  const again = second.keeper.resumeOnRequest('lead-1')
  await vi.waitFor(() => expect(second.orders).toHaveLength(2))
  expect(second.keys[1]).not.toBe(second.keys[0])
  second.rest('lead-1')
  await again
})

test('a session that another process runs is not cancelled, and the person learns why', async () => {
  const { keeper, orders, owned } = await openKeeper({ shown: active })
  owned.add('lead-1')
  await expect(keeper.cancel('lead-1', 'x')).rejects.toThrow('another process')
  expect(keeper.counts().queued).toEqual([])
  expect(orders).toEqual([])
})

test('sessions that are started at the same time do not exceed daemon.parallel', async () => {
  const { keeper, orders, stop } = await openKeeper({ parallel: 1 })
  const go = stop('models')
  const started = ['lead-1', 'lead-2', 'lead-3'].map((id) => keeper.start(start(id)))
  go()
  await Promise.all(started)
  await settle()
  expect(orders).toEqual(['start lead-1'])
})

test('a child whose record cannot be read does not delay the result of its tree', async () => {
  const { keeper, sessions, unreadable, rest, orders } = await openKeeper({ shown: failed })
  const results: string[] = []
  keeper.onRest((session) => results.push(session))
  sessions.set('child-1', { ...spec, id: 'child-1' })
  unreadable.add('child-1')
  await keeper.tell('lead-1', work)
  await vi.waitFor(() => expect(orders).toEqual(['tell lead-1']))
  rest('lead-1')
  await vi.waitFor(() => expect(results).toEqual(['lead-1']))
})

test('a tree whose record cannot be read does not count as running', async () => {
  const { keeper, unreadable, rest, orders } = await openKeeper({ parallel: 1 })
  await keeper.start(start('lead-1'))
  await keeper.start(start('lead-2'))
  await vi.waitFor(() => expect(orders).toEqual(['start lead-1']))
  unreadable.add('lead-1')
  rest('lead-1')
  await settle()
  await keeper.retry()
  await vi.waitFor(() => expect(orders).toEqual(['start lead-1', 'start lead-2']))
})
