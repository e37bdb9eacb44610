import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { SessionSpec, StoredSession } from '@cadre/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createProblems } from '../daemon/create-problems.ts'
import { temporaryHome } from '../daemon/daemon.spec-helpers.ts'
import { createRemoteKeeper } from './create-remote-keeper.ts'
import { spec, timestamp } from './remote.spec-helpers.ts'
import type { RemoteResult, RemoteTrees } from './remote-trees.ts'

const reason = 'no model can be used'
const refused: RemoteResult = { kind: 'failed', code: 'unknown_model', message: reason }
const completed: RemoteResult = { kind: 'report', report: { status: 'completed' } as never }
const problem = `Cannot start this session yet: ${reason}`

/** A keeper, and a server whose worker refuses to start sessions until `accepts` is set. */
function openKeeper(at = temporaryHome(), trusted = true) {
  const { home, workspace } = at
  const worker = { accepts: false }
  const orders: string[] = []
  const contents: string[] = []
  const records = new Map<string, StoredSession>()
  let rest: (root: string, result: RemoteResult) => void = () => {}
  const read = async (id: string) => records.get(id)
  const ignore = () => () => {}
  const run = (id: string, content: string) => {
    contents.push(content)
    if (worker.accepts) {
      const own: SessionSpec = { ...spec, id, root: id, work: { content } }
      const told = id === 'told' && { message: 'm1' }
      const entries = [
        { seq: 1, timestamp, role: 'user', content, ...told },
        { seq: 2, timestamp, role: 'assistant', content: 'done' },
      ]
      const ended = { status: 'completed', outcome: 'completed', updated: timestamp } as const
      records.set(id, { spec: own, ...ended, entries: entries as never })
    }
    setImmediate(() => rest(id, worker.accepts ? completed : refused))
  }
  const trees = {
    read,
    readTree: async (id: string) => ({
      sessions: new Map(records.has(id) ? [[id, String(contents.length)]] : []),
      read,
    }),
    state: async () => ({ kind: 'rested', result: refused }),
    async start({ id, work }: { id: string; work: { content: string } }) {
      orders.push(`start ${id}`)
      run(id, work.content)
    },
    cancel: async (id: string) => void orders.push(`cancel ${id}`),
    onRest(listener: typeof rest) {
      rest = listener
      return () => {}
    },
    ...{ onChange: ignore, onOtherChange: ignore, watch: () => {}, close: () => {} },
  } as unknown as RemoteTrees
  const parts = {
    agents: { get: () => spec.agent, list: () => [spec.agent] },
    models: { resolve: async () => ({ kind: 'found', model: { id: 'm' } }) },
  }
  const notes: string[] = []
  const problems = createProblems(({ message }) => void notes.push(message))
  const results: string[] = []
  const engine = { hold: async () => {}, letGo: () => {}, list: async () => [] } as never
  const keeper = createRemoteKeeper({
    ...{ home, engine, trees, place: 'lab', workspace, trusted, problems },
    parallel: () => 5,
    parts: () => ({ parts }) as never,
    note: ({ message }) => void notes.push(message),
    rested: () => {},
  })
  keeper.onRest((session) => results.push(session))
  onTestFinished(() => keeper.clear())
  const pathOf = (session: string) => `${home.folder('sessions')}/${session}.session.yaml`
  const shown = () => problems.list().map(({ message }) => message)
  return { at, keeper, worker, orders, contents, notes, results, pathOf, shown }
}

const start = { id: 'lead-1', agent: 'lead', work: { content: 'x' } }
const text = (content: string, more = '') =>
  `agent_id: lead\n${more}messages:\n  - role: user\n    content: ${content}\n`

async function startRefused() {
  const opened = openKeeper()
  await opened.keeper.start(start)
  await vi.waitFor(() => expect(opened.shown()).toEqual([problem]))
  return opened
}

test('a start that a worker refuses is shown, and sent again until a worker accepts it', async () => {
  const { keeper, worker, orders, notes, results, pathOf, shown } = await startRefused()
  expect(await keeper.state('lead-1')).toEqual({ kind: 'running', stuck: reason })
  // Not before the pause is over.
  await keeper.retry()
  expect(orders).toEqual(['start lead-1'])
  worker.accepts = true
  await vi.waitFor(
    async () => {
      await keeper.retry()
      expect(existsSync(pathOf('lead-1'))).toBe(true)
    },
    { timeout: 10_000, interval: 50 },
  )
  await vi.waitFor(() => expect(shown()).toEqual([]))
  expect(orders).toEqual(['start lead-1', 'start lead-1'])
  await vi.waitFor(async () => expect((await keeper.state('lead-1')).kind).toBe('ended'))
  expect(results).toEqual(['lead-1'])
  expect(notes.filter((note) => note.includes(reason))).toHaveLength(2)
})

test('a message that starts a session is not dropped, however often a worker refuses it', async () => {
  const { keeper, worker, contents, notes, pathOf, shown } = openKeeper()
  onTestFinished(() => void vi.restoreAllMocks())
  await keeper.tell('told', { content: 'Hello', message: 'm1' }, { agent: 'lead' })
  for (let refusals = 1; refusals <= 4; refusals++) {
    await vi.waitFor(() => expect(contents).toHaveLength(refusals))
    await vi.waitFor(() => expect(shown()).toEqual([problem]))
    // The pause is over.
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 100_000)
    await keeper.retry()
  }
  worker.accepts = true
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 100_000)
  await keeper.retry()
  await vi.waitFor(() => expect(existsSync(pathOf('told'))).toBe(true))
  expect(notes.filter((note) => note.includes('dropped'))).toEqual([])
})

test('a start that was refused survives a restart of the daemon', async () => {
  const first = await startRefused()
  first.keeper.clear()
  const second = openKeeper(first.at)
  second.worker.accepts = true
  await second.keeper.recover()
  await vi.waitFor(() => expect(existsSync(second.pathOf('lead-1'))).toBe(true))
  await vi.waitFor(() => expect(second.keeper.counts()).toEqual({ running: [], queued: [] }))
  expect(second.orders).toEqual(['start lead-1'])
})

test('a start that was refused can be cancelled, and its session started again', async () => {
  const { keeper, worker, orders, notes, shown, pathOf } = await startRefused()
  expect(await keeper.cancel('lead-1', 'x')).toBe(true)
  expect(shown()).toEqual([])
  expect((await keeper.state('lead-1')).kind).toBe('absent')
  // The server has nothing to cancel.
  expect(orders).toEqual(['start lead-1'])
  expect(notes.filter((note) => note.includes('dropped'))).toEqual([])
  worker.accepts = true
  await keeper.start(start)
  await vi.waitFor(() => expect(existsSync(pathOf('lead-1'))).toBe(true))
})

test('a start whose caller shows the failure is not repeated', async () => {
  const { keeper, orders, results, shown } = openKeeper()
  await keeper.start({ ...start, reportsFailure: true })
  await vi.waitFor(() => expect(results).toEqual(['lead-1']))
  expect((await keeper.state('lead-1')).kind).toBe('absent')
  expect(orders).toEqual(['start lead-1'])
  expect(shown()).toEqual([])
})

test('a corrected file replaces a start that a worker has refused', async () => {
  const { keeper, worker, contents, pathOf, shown } = openKeeper()
  writeFileSync(pathOf('note'), text('first'))
  await keeper.resume('note')
  await vi.waitFor(() => expect(shown()).toEqual([problem]))
  worker.accepts = true
  writeFileSync(pathOf('note'), text('second'))
  await keeper.resume('note')
  await vi.waitFor(() => expect(existsSync(pathOf('note'))).toBe(true))
  expect(contents).toEqual(['first', 'second'])
  expect(readFileSync(`${pathOf('note')}.orig-2`, 'utf8')).toBe(text('second'))
  await vi.waitFor(() => expect(shown()).toEqual([]))
})

test('a corrected file replaces a start that was not sent', async () => {
  const { keeper, worker, contents, pathOf } = openKeeper()
  worker.accepts = true
  await keeper.hold(false)
  writeFileSync(pathOf('note'), text('first'))
  await keeper.resume('note')
  writeFileSync(pathOf('note'), text('second'))
  await keeper.resume('note')
  keeper.release()
  await vi.waitFor(() => expect(existsSync(pathOf('note'))).toBe(true))
  expect(contents).toEqual(['second'])
})

test('a file whose folder the daemon does not own is refused as on the engine on files', async () => {
  const { keeper, at, orders, pathOf } = openKeeper(temporaryHome(), false)
  const written = text('x', 'metadata: {workspace: /etc}\n')
  writeFileSync(pathOf('note'), written)
  await expect(keeper.resume('note')).rejects.toThrow(
    `the session's workspace /etc is neither in ${at.workspace} nor a workspace in this home directory. Run "cadre resume" there, or start the daemon with --trust`,
  )
  expect(readFileSync(pathOf('note'), 'utf8')).toBe(written)
  expect(orders).toEqual([])
})
