import type { Approval, Client, Page, SessionRow, StreamEvent, StreamPart } from '@cadre/api'
import { expect, test } from 'vitest'
import { createStore } from './create-store.ts'

const usage = { input: 0, output: 0 }
const rowOf = (id: string, seq: number, parent?: string): SessionRow => ({
  id,
  agent: 'a',
  ...(parent !== undefined && { parent }),
  root: 'r',
  depth: 0,
  state: 'working',
  work: `${id} at ${seq}`,
  created: id,
  updated: id,
  usage,
  subtree: { sessions: 1, calls: 0, waiting: 0, usage },
  seq,
})
const approvalOf = (id: string, status: Approval['status'] = 'pending') =>
  ({ id, status, created: id, session: 'r' }) as Approval

/** A server with one life. The test sends events and cuts connections. */
function createServer() {
  let seq = 0
  const state = { rows: new Map<string, SessionRow>(), approvals: [] as Approval[] }
  const sent: { seq: number; event: StreamEvent }[] = []
  let resets = 0
  const readers = new Set<() => void>()
  const wake = () => readers.forEach((reader) => void reader())
  const page = <T>(items: readonly T[]): Page<T> => ({ at: `l.${seq}`, items })
  const client = {
    me: async () => ({ by: 'ann', roles: ['viewer', 'approver'], daemon: true, readOnly: false }),
    listSessions: async () => page([...state.rows.values()].filter(({ parent }) => parent === undefined)),
    getTree: async () => ({ at: `l.${seq}`, rows: [...state.rows.values()] }),
    listApprovals: async () => page(state.approvals.filter(({ status }) => status === 'pending')),
    listProblems: async () => ({ items: [] }),
    async *events({
      after = '',
      signal,
    }: {
      after?: string
      signal?: AbortSignal
    }): AsyncGenerator<StreamPart> {
      let at = Number(after.split('.')[1])
      let seenResets = resets
      yield { kind: 'open' }
      for (;;) {
        for (const { seq: id, event } of sent.filter((one) => one.seq > at)) {
          at = id
          yield { kind: 'event', id: `l.${id}`, event }
        }
        if (signal?.aborted) return
        if (seenResets < resets) {
          seenResets = resets
          yield { kind: 'reset' }
          continue
        }
        await new Promise<void>((resolve) => {
          readers.add(resolve)
          signal?.addEventListener('abort', () => resolve())
        })
      }
    },
  }
  return {
    client: client as unknown as Client,
    state,
    /** Tells readers to read everything again. */
    reset() {
      resets += 1
      wake()
    },
    send(change: (seq: number) => StreamEvent) {
      seq += 1
      const event = change(seq)
      if (event.type === 'row') state.rows.set(event.row.id, event.row)
      sent.push({ seq, event })
      wake()
    },
  }
}

const never = async () => {}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

function started(server = createServer()) {
  server.send((seq) => ({ type: 'row', row: rowOf('r', seq) }))
  const store = createStore({
    client: server.client,
    schedule: (flush) => flush(),
    whenLookedAt: never,
    pause: never,
  })
  store.start()
  return { server, store }
}

test("shows the server's initial data, and then its updates", async () => {
  const { server, store } = started()
  await until(() => store.isReady.value)
  expect(store.rows.roots.map(({ id }) => id)).toEqual(['r'])
  server.send((seq) => ({ type: 'row', row: rowOf('r', seq) }))
  await until(() => store.rows.get('r')?.row.value.work === 'r at 2')
  server.state.approvals.push({ ...approvalOf('x'), objection: 'Your vote does not count.' })
  server.send(() => ({ type: 'approval.asked', approval: approvalOf('x') }))
  await until(() => store.approvals.get('x')?.objection === 'Your vote does not count.')
  expect(store.waiting.value).toBe(1)
  server.send(() => ({ type: 'approval.changed', approval: approvalOf('x', 'approved') }))
  await until(() => store.waiting.value === 0)
  store.stop()
})

test('keeps an opened tree up to date, and does not miss events when the stream is reopened for it', async () => {
  const { server, store } = started()
  await until(() => store.connection.value.state === 'live')
  const types: string[] = []
  const close = store.openTree('r')
  const leave = store.follow('r', ({ type }) => types.push(type))
  server.send((seq) => ({ type: 'row', row: rowOf('a', seq, 'r') }))
  server.send(() => ({
    type: 'event',
    root: 'r',
    event: { type: 'session.queued', session: 'a', seq: 1, at: '' },
  }))
  await until(() => store.rows.get('a') !== undefined && types.length === 1)
  leave()
  close()
  expect(store.rows.get('a')).toBeUndefined()
  store.stop()
})

test('lets a login do only what its roles and the server allow', async () => {
  const { store } = started()
  expect(store.may('approver')).toBe(false)
  await until(() => store.isReady.value)
  expect([store.may('approver'), store.may('operator')]).toEqual([true, false])
  store.me.value = { ...store.me.value!, roles: ['admin'], daemon: false }
  expect([store.may('approver'), store.may('operator')]).toEqual([true, false])
  store.me.value = { ...store.me.value!, readOnly: true }
  expect(store.may('approver')).toBe(false)
  store.stop()
})

test('a decided approval does not come back with an older event', async () => {
  const { server, store } = started()
  await until(() => store.isReady.value)
  store.approvals.put(approvalOf('x', 'rejected'))
  server.send(() => ({ type: 'approval.asked', approval: approvalOf('x') }))
  server.send(() => ({ type: 'problems.changed', count: 3 }))
  await until(() => store.problems.value === 3)
  expect(store.waiting.value).toBe(0)
  expect(store.approvals.get('x')?.status).toBe('rejected')
  store.stop()
})

/** A server with two pages of entry sessions. The test answers each request for the second one. */
function startedWithPages() {
  const server = createServer()
  const asked: { answer: (items: readonly SessionRow[]) => void; fail: (error: Error) => void }[] = []
  const first = server.client.listSessions
  server.client.listSessions = async (request) => {
    if (request?.query?.after === undefined) return { ...(await first(request)), next: 'second' }
    expect(request.query.after).toBe('second')
    return new Promise((resolve, reject) => {
      asked.push({ answer: (items) => resolve({ at: 'l.1', items, next: 'third' }), fail: reject })
    })
  }
  return { ...started(server), asked }
}

test('requests the same page of entry sessions again after a failure', async () => {
  const { store, asked } = startedWithPages()
  await until(() => store.isReady.value)
  const failed = store.readMore()
  // While one request runs, no second one is made.
  await store.readMore()
  asked[0]?.fail(new Error('The server is gone.'))
  await expect(failed).rejects.toThrow('The server is gone.')
  const read = store.readMore()
  asked[1]?.answer([rowOf('b', 0)])
  await read
  expect(store.rows.roots.map(({ id }) => id)).toEqual(['r', 'b'])
  expect(store.next.value).toBe('third')
  expect(asked).toHaveLength(2)
  store.stop()
})

test('ignores a page of entry sessions that arrives after a reload', async () => {
  const { server, store, asked } = startedWithPages()
  await until(() => store.connection.value.state === 'live')
  const late = store.readMore()
  server.reset()
  await until(() => store.versions.snapshot.value === 2)
  asked[0]?.answer([rowOf('b', 0)])
  await late
  expect(store.rows.roots.map(({ id }) => id)).toEqual(['r'])
  expect(store.next.value).toBe('second')
  store.stop()
})
