import { rmSync, writeFileSync } from 'node:fs'
import type { StreamEvent } from '@cadre/api'
import type { CadreEvent, SessionSpec } from '@cadre/core'
import { expect, it, onTestFinished } from 'vitest'
import { askingEntries, temporaryHome, writeSession } from '../page.spec-helpers.ts'
import { testSite } from '../site.spec-helpers.ts'

/** A page on a home whose stream the test reads. */
async function testFeed(prepare: (home: ReturnType<typeof temporaryHome>) => void) {
  const home = temporaryHome()
  prepare(home)
  const { page } = await testSite(home)
  await page.idle()
  const seen: StreamEvent[] = []
  const take = (text: string) => {
    for (const [, data] of text.matchAll(/^data: (\{.*)$/gm)) seen.push(JSON.parse(data ?? '') as StreamEvent)
  }
  const { hub } = page.context
  const leave = hub.open(
    { write: take, behind: () => 0, end: () => {}, destroy: () => {} },
    { after: hub.at(), login: 'test', index: true, roots: ['lead-1'] },
  )
  onTestFinished(leave)
  const changed = async (...ids: string[]) => {
    page.changed(ids.map((id) => `sessions/${id}.session.yaml`))
    await page.idle()
  }
  const events = () => seen.flatMap((event) => (event.type === 'event' ? [event.event.type] : []))
  return { home, page, seen, events, changed, row: (id: string) => page.context.index.row(id) }
}

const work = { role: 'user', content: 'Check the cache.' } as const

it('sends each new entry once when another process writes the journal', async () => {
  const feed = await testFeed((home) => writeSession(home, 'lead-1', [work]))
  writeSession(feed.home, 'lead-1', askingEntries().slice(0, 2))
  await feed.changed('lead-1')
  writeSession(feed.home, 'lead-1', askingEntries())
  await feed.changed('lead-1')
  await feed.changed('lead-1')
  expect(feed.events()).toEqual(['round.started', 'reply.received', 'call.judged', 'person.asked'])
  expect(feed.row('lead-1')).toMatchObject({ usage: { input: 100, output: 20 }, subtree: { waiting: 1 } })
  expect(feed.seen.filter(({ type }) => type === 'approval.asked')).toHaveLength(1)
})

it('tells readers that entries were removed', async () => {
  const feed = await testFeed((home) => writeSession(home, 'lead-1', askingEntries()))
  writeSession(feed.home, 'lead-1', [work])
  await feed.changed('lead-1')
  const edit = feed.seen.find((event) => event.type === 'event' && event.event.type === 'journal.edited')
  expect(edit).toMatchObject({ event: { rounds: 0 } })
  expect(feed.row('lead-1')).toMatchObject({ usage: { input: 0 }, subtree: { waiting: 0 } })
})

it('adds new files, removes deleted ones, and keeps the row of an unreadable file', async () => {
  const feed = await testFeed((home) => writeSession(home, 'lead-1', [work]))
  const child = { root: 'lead-1', parent: { session: 'lead-1', call: 'c' }, depth: 1 }
  writeSession(feed.home, 'tester-1', [work], child)
  await feed.changed('tester-1')
  expect(feed.row('lead-1')?.subtree.sessions).toBe(2)
  writeFileSync(feed.home.at('sessions', 'tester-1.session.yaml'), 'session_id: [broken\nmessages: 7\n')
  await feed.changed('tester-1')
  expect(feed.row('lead-1')?.subtree.sessions).toBe(2)
  rmSync(feed.home.at('sessions', 'tester-1.session.yaml'))
  await feed.changed('tester-1')
  expect(feed.row('lead-1')?.subtree.sessions).toBe(1)
  expect(feed.seen).toContainEqual({ type: 'row.removed', id: 'tester-1' })
})

it('follows a session in this process by its events, and reads its file only after it has ended', async () => {
  const feed = await testFeed(() => {})
  const usage = { input: 7, output: 3 }
  let seq = 0
  const emit = (body: object) =>
    feed.page.take({ ...body, session: 'lead-1', at: `2026-11-15T10:00:0${++seq}.000Z`, seq } as CadreEvent)
  emit({ type: 'session.started', agent: 'lead', model: 'm', work: 'Check.', root: 'lead-1', depth: 0 })
  emit({ type: 'round.started', round: 1 })
  emit({ type: 'reply.received', round: 1, text: 'Done.', calls: [], usage })
  await feed.page.idle()
  expect(feed.row('lead-1')).toMatchObject({
    state: 'working',
    usage,
    doing: 'asks the model',
    work: 'Check.',
  })
  writeSession(feed.home, 'lead-1', askingEntries())
  await feed.changed('lead-1')
  expect(feed.row('lead-1')).toMatchObject({ usage })
  emit({ type: 'session.ended', report: { status: 'completed' } })
  await feed.page.idle()
  expect(feed.row('lead-1')).toMatchObject({ usage: { input: 100, output: 20, cost: 0.01 } })
  // Events that were already sent are not sent again from the file.
  expect(feed.events()).toEqual(['session.started', 'round.started', 'reply.received', 'session.ended'])
})

it('marks a session as stopped when no process runs it', async () => {
  const feed = await testFeed((home) => writeSession(home, 'lead-1', [work]))
  expect(feed.row('lead-1')?.state).toBe('stopped')
  feed.page.checkProcesses()
  expect(feed.row('lead-1')?.state).toBe('stopped')
})

it('shows what the budget counts: a reply without usage counts with its whole reservation', async () => {
  const limits = { maxRounds: 10, budget: { tokens: 60_000 } } as SessionSpec['limits']
  const sent = {
    role: 'event',
    type: 'request.sent',
    input: 20_000,
    output: 16_384,
    bytes: 1,
    shape: '',
  } as const
  const answered = { role: 'assistant', content: 'Done.' } as const
  const feed = await testFeed((home) => writeSession(home, 'lead-1', [work, sent, answered], { limits }))
  expect(feed.row('lead-1')).toMatchObject({
    usage: { input: 0, output: 0 },
    subtree: { budget: { tokens: 60_000 }, spent: { tokens: 36_384, cost: 0, calls: 0 } },
  })
  const emit = (body: object) =>
    feed.page.take({ ...body, session: 'lead-1', at: '2026-11-15T11:00:00.000Z', seq: 9 } as CadreEvent)
  const spent = { tokens: 50_000, cost: 0, calls: 0 }
  emit({ type: 'reply.received', round: 2, text: 'Done.', calls: [], spent })
  expect(feed.row('lead-1')?.subtree.spent).toEqual(spent)
})
