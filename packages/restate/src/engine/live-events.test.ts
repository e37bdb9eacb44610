import type { CadreEvent } from '@cadre/core'
import { expect, test } from 'vitest'
import { type LiveAnswer, LiveEvents } from './live-events.ts'

const at = '2026-01-01T00:00:00.000Z'
let seq = 0
const event = (body: object, session = 'lead-1') => ({ ...body, session, at, seq: ++seq }) as CadreEvent
const start = (live: LiveEvents, session = 'lead-1') =>
  live.take(event({ type: 'session.started', root: 'lead-1' }, session))
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
  start(live, 'child-1')
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

test('keeps a limited amount of text', async () => {
  const live = new LiveEvents()
  start(live)
  live.take(begin(1))
  for (let count = 0; count < 100; count++) live.take(text(1, 'x'.repeat(10_000)))
  const answer = await live.read('lead-1', undefined, 0)
  expect(JSON.stringify(answer).length).toBeLessThan(210_000)
})
