import type { Draft, Orchestrator, Report, ResumeOptions, RunResult, SessionSpec } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { describe, expect, test } from 'vitest'
import type { Sdk } from '../load-sdk.ts'
import { Archive } from '../log/archive.ts'
import type { LogItem } from '../log/log-item.ts'
import { TreeLog } from '../log/tree-log.ts'
import type { TreeMessage, TreeOrder, TreeResult } from '../tree-order.ts'
import type { TreeAttempt } from './invoke-tree.ts'
import { RestateEngine } from './restate-engine.ts'

const root = { id: 'lead-1', root: 'lead-1', created: 'now', depth: 0, limits: {} } as unknown as SessionSpec
const child = {
  ...root,
  id: 'worker-1',
  depth: 1,
  parent: { session: 'lead-1', call: 'call_1' },
} as unknown as SessionSpec
const question = { session: 'worker-1', name: 'approval/call_1' } as const
const asked: Draft = { role: 'event', type: 'person.asked', name: question.name, call: 'call_1' } as Draft
const waiting: TreeResult = { kind: 'waiting', session: 'worker-1', questions: [question] }
const cancel = { kind: 'cancel', session: 'worker-1', reason: 'not needed' } as const
const answer = { kind: 'answer', ...question, answer: { decision: 'approve', by: 'anna' } } as const
const edit = {
  kind: 'edit',
  session: 'lead-1',
  id: 'edit-1',
  entries: [],
  base: 0,
  summary: 'A message was added.',
} as const

const reportOf = (session: string, status: string) => ({ type: 'report', session, status }) as Report
const ended = (session: string, status: string, by?: string) =>
  ({
    role: 'event',
    type: 'session.ended',
    report: reportOf(session, status),
    ...(by && { cancelled_by: by }),
  }) as never

interface Life {
  readonly previous?: TreeResult
  /** The mailbox when the invocation began. */
  readonly orders: readonly (TreeMessage | Extract<TreeOrder, { kind: 'resume' }>)[]
  /** What is in the record when the life begins. */
  readonly recorded: (log: TreeLog) => void
  /** The messages with these numbers have arrived in an earlier life, which heard them after it had recorded everything. */
  readonly heard?: Readonly<Record<number, TreeMessage>>
  readonly resume?: (session: string, log: TreeLog) => RunResult
}

/** Runs one life of an invocation. Returns what the tree closed with, and the sessions that were resumed. */
async function runLife({ orders, heard = {}, previous, recorded, resume }: Life) {
  // Nothing listens there.
  const options = { sdk: {} as Sdk, clock: systemClock, ingress: 'http://127.0.0.1:9', place: 'test' }
  const engine = new RestateEngine(options)
  const box = orders.map((order, index) => ({
    n: index + 1,
    order: [order.kind === 'resume' && 'options' in order ? order : asOrder(order as TreeMessage)] as const,
  }))
  const arrived = Object.entries(heard).map(([n, message]) => ({
    n: Number(n),
    order: [asOrder(message)] as const,
  }))
  const archive = new Archive(null)
  const logOf = (of: Archive) =>
    new TreeLog({ ...engine.logOptions, root: 'lead-1', archive: of, goLive: () => {} })
  const earlier = logOf(new Archive(null))
  recorded(earlier)
  const log = logOf(archive)
  for (const one of box) log.arrive(one)
  if (arrived.length > 0)
    earlier.add({ t: 'life', owner: { token: 'x', pid: 1, host: 'h', boot: 'b' }, format: 2 })
  for (const one of arrived) {
    log.arrive(one)
    earlier.add({ t: 'heard', n: one.n })
  }
  for (const item of log.keep({ bytes: (await earlier.take()).bytes })) archive.apply(item)
  const resumed: string[] = []
  const orchestrator = {
    cancel: () => false,
    resume: async (session: string, { work }: ResumeOptions) => {
      resumed.push(work === undefined ? session : `${session} with a message`)
      return resume?.(session, log) ?? { kind: 'report', report: reportOf(session, 'completed') }
    },
  }
  engine.orders = {
    orchestrator: orchestrator as unknown as Orchestrator,
    endSession: async (_, { spec }) => {
      log.record(spec.id, [ended(spec.id, 'cancelled', 'person')])
      log.add({ t: 'end', id: spec.id, status: 'error', outcome: 'cancelled' })
    },
  }
  const added: LogItem[] = []
  const add = log.add.bind(log)
  log.add = (item) => {
    added.push(item)
    add(item)
  }
  const attempt: TreeAttempt = {
    ...{ log, archive, box, order: [{ kind: 'wake' }], onMessage: () => {} },
    previous: previous && [previous],
    cancelled: new AbortController().signal,
  }
  // An earlier life of this machine is known to have ended.
  engine.alone = async () => 'here'
  engine.live(attempt)
  while (!log.isClosed && !log.isDead) await new Promise((resolve) => setImmediate(resolve))
  const close = added.at(-1) as Extract<LogItem, { t: 'close' }>
  const { result } = close
  expect(result.kind !== 'continued' || close.orders.length > 0, JSON.stringify(close)).toBe(true)
  return { result, orders: close.orders.map(([order]) => order), resumed }
}

const asOrder = (message: TreeMessage): TreeOrder => ({ kind: 'message', message })

/** The run has finished. */
function finish(log: TreeLog): void {
  log.add({ t: 'open', spec: root })
  log.record('lead-1', [ended('lead-1', 'completed')])
  log.add({ t: 'end', id: 'lead-1', status: 'completed', outcome: 'completed' })
}

/** A message has woken a child of the run that has finished. It waits for a person. */
function sleep(log: TreeLog): void {
  finish(log)
  log.add({ t: 'open', spec: child })
  log.record('worker-1', [asked])
  log.add({ t: 'end', id: 'worker-1', status: 'sleeping', outcome: null })
}

function endChild(log: TreeLog): void {
  sleep(log)
  log.record('worker-1', [ended('worker-1', 'cancelled', 'person')])
  log.add({ t: 'end', id: 'worker-1', status: 'error', outcome: 'cancelled' })
}

describe('an answer that was heard', () => {
  test('continues a child whose session the first order does not run', async () => {
    const { result, orders } = await runLife({
      orders: [{ kind: 'tell', session: 'other-1', work: { content: 'x', message: 'm1' } }],
      heard: { 2: answer },
      recorded: sleep,
      resume: (session) => ({ kind: 'report', report: reportOf(session, 'completed') }),
    })
    expect(result).toMatchObject({ kind: 'report' })
    expect(orders).toEqual([{ kind: 'resume', session: 'worker-1' }])
  })

  test('has no further effect once its session has ended', async () => {
    const { orders } = await runLife({ orders: [answer], heard: { 2: answer }, recorded: endChild })
    expect(orders).toEqual([])
  })
})

test('an answer continues the session that asked, although its run has finished', async () => {
  const { result, resumed } = await runLife({ orders: [answer], previous: waiting, recorded: sleep })
  expect(resumed).toEqual(['worker-1'])
  expect(result).toMatchObject({ kind: 'report', report: { session: 'worker-1' } })
})

test('a life that repeats an answer reports the finished run, and not the child that was answered', async () => {
  const recorded = (log: TreeLog) => {
    log.add({ t: 'open', spec: root })
    log.add({ t: 'open', spec: child })
    const answered = { role: 'event', type: 'person.answered', name: question.name, decision: 'approve' }
    log.record('worker-1', [asked, answered as Draft, ended('worker-1', 'completed')])
    log.add({ t: 'end', id: 'worker-1', status: 'completed', outcome: 'completed' })
    log.record('lead-1', [ended('lead-1', 'completed')])
    log.add({ t: 'end', id: 'lead-1', status: 'completed', outcome: 'completed' })
  }
  const { result } = await runLife({ orders: [answer], recorded })
  expect(result).toEqual({ kind: 'report', report: reportOf('lead-1', 'completed') })
})

test('a second answer to a child that has ended does not begin its cancelled run again', async () => {
  const previous = { kind: 'report', report: reportOf('worker-1', 'completed') } as const
  const recorded = (log: TreeLog) => {
    log.add({ t: 'open', spec: root })
    log.record('lead-1', [ended('lead-1', 'cancelled', 'person')])
    log.add({ t: 'end', id: 'lead-1', status: 'error', outcome: 'cancelled' })
    log.add({ t: 'open', spec: child })
    const answered = { role: 'event', type: 'person.answered', name: question.name, decision: 'approve' }
    log.record('worker-1', [asked, answered as Draft, ended('worker-1', 'completed')])
    log.add({ t: 'end', id: 'worker-1', status: 'completed', outcome: 'completed' })
  }
  const { result, resumed } = await runLife({ orders: [answer], previous, recorded })
  expect(resumed).toEqual([])
  expect(result).toEqual(previous)
})

describe('an order that a cancel took back in an earlier life', () => {
  test.each([
    { kind: 'tell', session: 'worker-1', work: { content: 'x', message: 'm1' } } as const,
    { kind: 'resume', session: 'worker-1', options: {} } as const,
    answer,
  ])('is not repeated: $kind', async (order) => {
    const { result, resumed } = await runLife({ orders: [order], heard: { 2: cancel }, recorded: endChild })
    expect(resumed).toEqual([])
    expect(result).toMatchObject({ kind: 'report', report: { session: 'lead-1', status: 'completed' } })
  })

  test('leaves the rest of the tree running', async () => {
    const { resumed } = await runLife({
      orders: [{ kind: 'resume', session: 'worker-1', options: {} }],
      heard: { 2: cancel },
      previous: waiting,
      recorded: (log) => {
        endChild(log)
        log.add({ t: 'open', spec: root })
      },
    })
    expect(resumed).toEqual(['lead-1'])
  })
})

describe('a tree whose order runs nothing', () => {
  const rejected = { ...answer, name: 'nothing' }

  test.each([edit, rejected])('keeps the result of its last run: $kind', async (message) => {
    const { result, resumed } = await runLife({ orders: [message], previous: waiting, recorded: sleep })
    expect(result).toEqual(waiting)
    expect(resumed).toEqual([])
  })

  test.each([
    { previous: undefined, message: edit },
    { previous: { kind: 'continued' } as const, message: edit },
    { previous: { kind: 'continued' } as const, message: rejected },
  ])('continues what is open if nobody knows how it rests: $message.kind', async ({ message, previous }) => {
    const life = { orders: [message], recorded: sleep, resume: () => waiting }
    const { result, resumed } = await runLife({ ...life, ...(previous && { previous }) })
    expect(resumed).toEqual(['worker-1'])
    expect(result).toEqual(waiting)
  })

  test.each([{ kind: 'continued' } as const, waiting])(
    'rests with the report of its run if nothing is open: $kind',
    async (previous) => {
      const { result, resumed } = await runLife({ orders: [cancel], previous, recorded: sleep })
      expect(result).toMatchObject({ kind: 'report', report: { session: 'lead-1', status: 'completed' } })
      expect(resumed).toEqual([])
    },
  )

  test('waits for a person if its end was removed from the record', async () => {
    const { result } = await runLife({
      orders: [edit],
      recorded: (log) => {
        log.add({ t: 'open', spec: root })
        log.add({ t: 'end', id: 'lead-1', status: 'completed', outcome: 'completed' })
      },
    })
    expect(result).toEqual({ kind: 'waiting', session: 'lead-1', questions: [] })
  })
})
