import { readFileSync, writeFileSync } from 'node:fs'
import { CadreError, type Entry, type StoredSession } from '@cadre/core'
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
const stored: StoredSession = { spec, status: 'completed', outcome: 'completed', updated: timestamp, entries }

/** A keeper, and a session that has ended. Edits are sent until they are let go. */
async function openKeeper({ hold = async () => {} }: { readonly hold?: () => Promise<void> } = {}) {
  const { home, workspace } = temporaryHome()
  const resumed: unknown[][] = []
  const edits: ((error?: Error) => void)[] = []
  let rest: (root: string, result: RemoteResult) => void = () => {}
  const ignore = () => () => {}
  const trees = {
    read: async () => stored,
    readTree: async () => ({ sessions: new Map([['lead-1', '1']]), read: async () => stored }),
    edit: () =>
      new Promise<void>((resolve, reject) => {
        edits.push((error) => (error === undefined ? resolve() : reject(error)))
      }),
    resume: async (...given: unknown[]) => void resumed.push(given),
    onRest(listener: typeof rest) {
      rest = listener
      return () => {}
    },
    onChange: ignore,
    onOtherChange: ignore,
    close: () => {},
  } as unknown as RemoteTrees
  const problems: unknown[] = []
  const engine = { hold, letGo: () => {}, list: async () => [] } as never
  await new SessionMirror({ home, engine, trees, place: 'lab' }).sync('lead-1')
  const keeper = createRemoteKeeper({
    home,
    engine,
    trees,
    place: 'lab',
    workspace,
    trusted: true,
    parallel: () => 5,
    parts: () => ({}) as never,
    note: () => {},
    problems: { report: (_duty, _file, found) => void problems.push(...found), list: () => [] },
    rested: () => {},
  })
  onTestFinished(() => keeper.clear())
  const path = home.at('sessions', 'lead-1.session.yaml')
  const edit = async () => {
    writeFileSync(path, readFileSync(path, 'utf8').replace('content: done', 'content: changed'))
    keeper.edited?.('lead-1')
    await vi.waitFor(() => expect(edits).toHaveLength(1), 60_000)
  }
  return { keeper, edit, edits, resumed, problems, rest: (result: RemoteResult) => rest('lead-1', result) }
}

test.each([undefined, new Error('away')])(
  'resumes an ended session whose edit is being sent, which fails with: %s',
  async (error) => {
    const { keeper, edit, edits, resumed, rest } = await openKeeper()
    const results: unknown[] = []
    keeper.onRest((_session, result) => results.push(result))
    await edit()
    const request = keeper.resumeOnRequest('lead-1')
    await new Promise((resolve) => setImmediate(resolve))
    expect(resumed).toEqual([])
    edits[0]?.(error)
    if (error !== undefined) await vi.waitFor(() => expect(edits).toHaveLength(2), 3_000)
    edits[1]?.()
    await vi.waitFor(() => expect(resumed).toEqual([['lead-1', {}, expect.any(String)]]))
    await expect(keeper.resumeOnRequest('lead-1')).rejects.toThrow('still running')
    const result = { kind: 'report', report: { status: 'completed' } } as RemoteResult
    rest(result)
    await request
    await vi.waitFor(() => expect(results).toEqual([result]))
  },
)

test('does not report a command that still holds the session whose file it changed', async () => {
  let holds = 0
  const hold = async () => {
    if (holds-- > 0) throw new CadreError('owned', 'the session is already running in process 1')
  }
  const { edit, edits, problems } = await openKeeper({ hold })
  holds = 2
  await edit()
  edits[0]?.()
  expect(holds).toBeLessThan(1)
  expect(problems).toEqual([])
})
