import { expect, it } from 'vitest'
import { temporaryHome } from '../daemon/daemon.spec-helpers.ts'
import { DeliveryQueue, isQueuedOrder } from '../sessions/delivery-queue.ts'
import { isCancelQueued, queueCancel, queuedStarts } from './drop-queued-orders.ts'

it('a cancel takes the place of a start that was not sent, and leaves other sessions alone', () => {
  const { home } = temporaryHome()
  const queue = new DeliveryQueue(home, isQueuedOrder)
  for (const id of ['one', 'two'])
    queue.add({ kind: 'start', request: { id, agent: 'lead', work: { content: 'Do it.' } } })
  const names = () => queuedStarts(home).map(({ session, agent }) => `${session} ${agent}`)
  expect(names()).toEqual(['one lead', 'two lead'])
  queueCancel(home, { session: 'one', root: 'one', agent: 'lead', reason: 'a person cancelled it' })
  expect(names()).toEqual(['two lead'])
  expect([isCancelQueued(home, 'one'), isCancelQueued(home, 'two')]).toEqual([true, false])
  // Again: it is sent once.
  queueCancel(home, { session: 'one', root: 'one', agent: 'lead', reason: 'a person cancelled it' })
  const next = new DeliveryQueue(home, isQueuedOrder)
  next.load()
  expect(next.of('one')).toHaveLength(1)
})
