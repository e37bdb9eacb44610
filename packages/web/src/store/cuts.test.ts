import type { Approval, Client, SessionRow, StreamEvent, StreamPart } from '@cadre/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStore } from './create-store.ts'

/** What happens at the server, and to the connection. */
type Step =
  | { readonly kind: 'row'; readonly id: number; readonly work: number }
  | { readonly kind: 'remove'; readonly id: number }
  | { readonly kind: 'ask' | 'decide'; readonly id: number }
  /** The connection breaks. */
  | { readonly kind: 'cut' }
  /** The server has forgotten its events, or was restarted: it cannot continue. */
  | { readonly kind: 'forget' }
  | { readonly kind: 'restart' }
  /** The page gets some time. */
  | { readonly kind: 'turn' }

const id = fc.nat(11)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('row'), id, work: fc.nat(99) }) as fc.Arbitrary<Step>,
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove'), id }) as fc.Arbitrary<Step> },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('ask', 'decide'), id }) as fc.Arbitrary<Step>,
  },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'turn' }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Step>({ kind: 'cut' }, { kind: 'forget' }, { kind: 'restart' }),
  },
)

const usage = { input: 0, output: 0 }
const nameOf = (number: number) => `s${String(number).padStart(2, '0')}`
/** Three trees of four sessions, each a chain. */
const parentOf = (number: number) => (number % 4 === 0 ? undefined : nameOf(number - 1))

function createServer() {
  let life = 0
  let seq = 0
  let kept: { readonly seq: number; readonly event: StreamEvent }[] = []
  const rows = new Map<string, SessionRow>()
  const approvals = new Map<string, Approval>()
  const connections = new Set<() => void>()
  const wake = () => connections.forEach((one) => void one())
  let breaks = 0
  const at = () => `${life}.${seq}`
  const send = (event: StreamEvent) => {
    kept.push({ seq, event })
    wake()
  }
  const client = {
    me: async () => ({ roles: ['viewer'] }),
    listSessions: async () => ({
      at: at(),
      items: [...rows.values()].filter((row) => row.parent === undefined),
    }),
    getTree: async ({ params }: { params: { id: string } }) => ({
      at: at(),
      rows: [...rows.values()].filter(({ root }) => root === params.id),
    }),
    listApprovals: async () => ({ items: [...approvals.values()].filter((one) => one.status === 'pending') }),
    listProblems: async () => ({ items: [] }),
    async *events({
      after = '',
      signal,
    }: {
      after?: string
      signal?: AbortSignal
    }): AsyncGenerator<StreamPart> {
      let last = after
      while (!signal?.aborted) {
        const broken = breaks
        yield { kind: 'open' }
        const [ofLife, number] = last.split('.').map(Number) as [number, number]
        const isKnown = ofLife === life && (number === seq || kept.some((one) => one.seq === number + 1))
        let position = isKnown ? number : seq
        if (!isKnown) yield { kind: 'reset' }
        while (!signal?.aborted && broken === breaks) {
          const next = kept.find((one) => one.seq > position)
          if (next === undefined) {
            await new Promise<void>((resolve) => {
              connections.add(resolve)
              signal?.addEventListener('abort', () => resolve())
            })
            continue
          }
          position = next.seq
          last = `${life}.${position}`
          yield { kind: 'event', id: last, event: next.event }
        }
        yield { kind: 'lost', why: 'cut' }
      }
    },
  }
  return {
    client: client as unknown as Client,
    rows,
    approvals,
    happen(change: Step) {
      if (change.kind === 'row') {
        seq += 1
        const parent = parentOf(change.id)
        const row = {
          id: nameOf(change.id),
          ...(parent !== undefined && { parent }),
          root: nameOf(change.id - (change.id % 4)),
          work: String(change.work),
          created: nameOf(change.id),
          usage,
          subtree: { sessions: 4, calls: 0, waiting: 0, usage },
          seq,
        } as unknown as SessionRow
        rows.set(row.id, row)
        send({ type: 'row', row })
      } else if (change.kind === 'remove') {
        seq += 1
        // With everything below it, as the server does.
        for (let number = change.id; number < (Math.floor(change.id / 4) + 1) * 4; number++)
          rows.delete(nameOf(number))
        send({ type: 'row.removed', id: nameOf(change.id) })
      } else if (change.kind === 'ask' || change.kind === 'decide') {
        const known = approvals.get(nameOf(change.id))
        if ((change.kind === 'decide') !== (known?.status === 'pending')) return
        if (change.kind === 'ask' && known !== undefined) return
        seq += 1
        const status = change.kind === 'ask' ? 'pending' : 'approved'
        const approval = { id: nameOf(change.id), created: nameOf(change.id), status } as Approval
        approvals.set(approval.id, approval)
        send({ type: status === 'pending' ? 'approval.asked' : 'approval.changed', approval })
      } else if (change.kind !== 'turn') {
        breaks += 1
        if (change.kind !== 'cut') kept = []
        if (change.kind === 'restart') {
          life += 1
          seq = 0
          for (const [name, row] of rows) rows.set(name, { ...row, seq: 0 })
        }
        wake()
      }
    },
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('after any breaks, resets and restarts, the page is equal to the server', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const server = createServer()
      const nothing = async () => {}
      const store = createStore({
        client: server.client,
        schedule: (flush) => queueMicrotask(flush),
        whenLookedAt: nothing,
        pause: nothing,
      })
      store.start()
      for (const root of [0, 4, 8]) store.openTree(nameOf(root))
      for (const one of steps) {
        server.happen(one)
        if (one.kind === 'turn') await turn()
      }
      // Everything that was sent is applied when this has arrived.
      server.happen({ kind: 'row', id: 0, work: 100 })
      while (store.rows.get(nameOf(0))?.row.value.work !== '100') await turn()
      await turn()
      const expected = [...server.rows.values()].filter((row) => isReachable(row, server.rows))
      const found = expected.map(({ id: name }) => store.rows.get(name)?.row.value.work)
      expect(found).toEqual(expected.map(({ work }) => work))
      expect(store.approvals.pending.value.map((one) => one.id)).toEqual(
        [...server.approvals.values()]
          .filter(({ status }) => status === 'pending')
          .map((one) => one.id)
          .sort(),
      )
      store.stop()
    }),
    { numRuns: 60 },
  )
})

function isReachable(row: SessionRow, rows: ReadonlyMap<string, SessionRow>): boolean {
  return row.parent === undefined || rows.has(row.parent)
}
