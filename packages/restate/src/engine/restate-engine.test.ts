import { type Orchestrator, type SessionSpec, stopGrace } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { createFakeClock } from '@cadre/testing'
import { expect, test } from 'vitest'
import type { Sdk } from '../load-sdk.ts'
import { Archive } from '../log/archive.ts'
import type { LogItem } from '../log/log-item.ts'
import { TreeLog } from '../log/tree-log.ts'
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

/** An attempt of the server to run the tree on this engine. Nothing acknowledges its batches. */
function attemptOn(engine: RestateEngine, order: TreeOrder): TreeAttempt {
  const archive = new Archive(null)
  const log = new TreeLog({ ...engine.logOptions, root: 'lead-1', archive, goLive: () => {} })
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
  const [first, second] = [attemptOn(engine, { kind: 'lend' }), attemptOn(engine, { kind: 'lend' })]
  engine.live(first)
  await settled()
  expect(engine.logOf('lead-1')).toBe(first.log)
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
  const [first, second, third] = [order, order, order].map((one) => attemptOn(engine, one)) as [
    TreeAttempt,
    TreeAttempt,
    TreeAttempt,
  ]
  engine.live(first)
  while (end === undefined) await settled()
  engine.live(second)
  await settled()
  expect(second.log.isDead).toBe(false)
  clock.advance(30_000)
  await settled()
  expect(second.log.isDead).toBe(true)
  expect(reports).toEqual([
    'lead-1 cannot continue here, because its last run on this worker has not stopped. If this repeats, restart the worker.',
  ])
  engine.live(third)
  await settled()
  expect(engine.logOf('lead-1')).toBeUndefined()
  end()
  await settled()
  expect(engine.logOf('lead-1')).toBe(third.log)
})
