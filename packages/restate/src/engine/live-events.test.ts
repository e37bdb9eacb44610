import type { CadreEvent } from '@cadre/core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type LiveAnswer, LiveEvents } from './live-events.ts'

const at = '2026-01-01T00:00:00.000Z'
let seq = 0
const event = (body: object, session = 'lead-1') => ({ ...body, session, at, seq: ++seq }) as CadreEvent
const join = (live: LiveEvents, session: string) =>
  live.take(event({ type: 'session.started', root: 'lead-1' }, session))
const start = (live: LiveEvents) => {
  live.begin('lead-1')
  join(live, 'lead-1')
}
const begin = (round: number) => event({ type: 'round.started', round })
const text = (round: number, added: string, session?: string) =>
  event({ type: 'text.added', round, text: added }, session)

function cursorOf(answer: LiveAnswer): string {
  if (answer.kind === 'away') throw new Error('the tree is not here')
  return answer.cursor
}

test('returns new text after a cursor, and the whole round without one', async () => {
  const live = new LiveEvents()
  start(live)
  live.take(begin(1))
  live.take(text(1, 'one '))
  live.take(text(1, 'two '))
  const first = await live.read('lead-1', undefined, 0)
  expect(first).toMatchObject({
    events: [{ type: 'round.started' }, { type: 'text.added', text: 'one two ' }],
  })
  live.take(text(1, 'three'))
  const second = await live.read('lead-1', cursorOf(first), 0)
  expect(second).toMatchObject({ events: [{ text: 'three' }] })
  expect(await live.read('lead-1', cursorOf(second), 0)).toMatchObject({ events: [] })
  expect(await live.read('lead-1', 'another.7', 0)).toMatchObject({
    events: [{ type: 'round.started' }, { text: 'one two three' }],
  })
  live.take(begin(2))
  expect(await live.read('lead-1', undefined, 0)).toMatchObject({ events: [{ round: 2 }] })
})

test('waits for news, and stops waiting when the tree stops', async () => {
  const live = new LiveEvents()
  expect(await live.read('lead-1', undefined, 60_000)).toEqual({ kind: 'away' })
  start(live)
  join(live, 'child-1')
  const waiting = live.read('lead-1', undefined, 60_000)
  live.take(text(1, 'news', 'child-1'))
  const answer = await waiting
  expect(answer).toMatchObject({ events: [{ session: 'child-1', text: 'news' }] })
  const last = live.read('lead-1', cursorOf(answer), 60_000)
  live.forget('lead-1')
  expect(await last).toMatchObject({ events: [] })
  live.take(text(1, 'late'))
  expect(await live.read('lead-1', undefined, 0)).toEqual({ kind: 'away' })
})

test('keeps nothing of a tree that has stopped, even if a session of it starts late', async () => {
  const live = new LiveEvents()
  start(live)
  live.forget('lead-1')
  join(live, 'child-1')
  live.take(text(1, 'late', 'child-1'))
  expect(await live.read('lead-1', undefined, 0)).toEqual({ kind: 'away' })
})

test('keeps a limited amount of text', async () => {
  const live = new LiveEvents()
  start(live)
  live.take(begin(1))
  for (let count = 0; count < 100; count++) live.take(text(1, 'x'.repeat(10_000)))
  const answer = await live.read('lead-1', undefined, 0)
  expect(JSON.stringify(answer).length).toBeLessThan(210_000)
})

test('keeps no text after a piece that was too large', async () => {
  const live = new LiveEvents()
  start(live)
  live.take(begin(1))
  live.take(text(1, 'one '))
  live.take(text(1, 'x'.repeat(200_000)))
  live.take(text(1, 'after a hole'))
  expect(await live.read('lead-1', undefined, 0)).toMatchObject({
    events: [{ type: 'round.started' }, { text: 'one ' }],
  })
  live.take(begin(2))
  live.take(text(2, 'two'))
  expect(await live.read('lead-1', undefined, 0)).toMatchObject({ events: [{ round: 2 }, { text: 'two' }] })
})

test('sends each piece once to clients that read at different times', async () => {
  const live = new LiveEvents()
  start(live)
  join(live, 'child-1')
  const clients = [1, 2, 3, 5].map((every) => ({ every, cursor: undefined as string | undefined, text: '' }))
  const read = async (client: (typeof clients)[number]) => {
    const answer = await live.read('lead-1', client.cursor, 0)
    client.cursor = cursorOf(answer)
    if (answer.kind === 'away') return
    for (const one of answer.events)
      if (one.type === 'text.added' && one.session === 'lead-1') client.text += one.text
  }
  live.take(begin(1))
  let expected = ''
  for (let count = 0; count < 60; count++) {
    expected += `${count} `
    live.take(text(1, `${count} `))
    if (count % 2 === 0) live.take(text(1, 'other ', 'child-1'))
    for (const client of clients) if (count % client.every === 0) await read(client)
  }
  for (const client of clients) await read(client)
  expect(clients.map((client) => client.text)).toEqual(clients.map(() => expected))
})

test('drops the text of a reply some time after it was received, and everything of an ended session', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const live = new LiveEvents()
  const read = async (after?: string) => {
    const answer = live.read('lead-1', after, 0)
    vi.advanceTimersByTime(0)
    return answer
  }
  start(live)
  join(live, 'child-1')
  live.take(begin(1))
  live.take(text(1, 'one'))
  const cursor = cursorOf(await read())
  live.take(text(1, ' two'))
  live.take(text(1, 'child', 'child-1'))
  live.take(event({ type: 'reply.received', round: 1, text: 'one two', calls: [] }))
  expect(await read(cursor)).toMatchObject({ events: [{ text: ' two' }, { text: 'child' }] })
  vi.advanceTimersByTime(14_000)
  live.take(event({ type: 'call.progressed', call: 'c1', text: 'working' }))
  vi.advanceTimersByTime(2_000)
  const later = { events: [{ text: 'child' }, { type: 'call.progressed' }] }
  expect(await read(cursor)).toMatchObject(later)
  expect(await read()).toMatchObject({ events: [{ type: 'round.started' }, ...later.events] })
  live.take(event({ type: 'session.ended', report: {} }))
  vi.advanceTimersByTime(5_000)
  // The session is resumed.
  live.take(begin(2))
  live.take(text(2, 'new'))
  vi.advanceTimersByTime(20_000)
  expect(await read()).toMatchObject({ events: [{ text: 'child' }, { round: 2 }, { text: 'new' }] })
  live.take(event({ type: 'session.ended', report: {} }))
  vi.advanceTimersByTime(20_000)
  expect(await read()).toMatchObject({ events: [{ text: 'child' }] })
})
