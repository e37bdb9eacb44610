import type { Home } from '@cadre/home'
import { readProjected } from '@cadre/journal'
import { DeliveryQueue, isQueuedOrder, type QueuedOrder, startRequestOf } from '../sessions/delivery-queue.ts'
import { isWithin } from './is-within.ts'

/** A session whose start is in the queue. */
export interface QueuedStart {
  readonly session: string
  readonly agent: string
}

/** The sessions that a daemon is to start. Until their files exist, the queue is the only place that knows them. */
export function queuedStarts(home: Home): readonly QueuedStart[] {
  const queue = load(home)
  return queue.sessions().flatMap((session) => {
    const [start] = queue.of(session).flatMap((queued) => startRequestOf(queued) ?? [])
    return start === undefined ? [] : [{ session, agent: start.agent }]
  })
}

/** Whether the next daemon sends a cancel for this session. */
export function isCancelQueued(home: Home, session: string): boolean {
  return load(home)
    .of(session)
    .some(({ request }) => request.kind === 'cancel')
}

/**
 * For a command that has cancelled a session while no daemon runs: the next one must not send what was requested before for it or for
 * sessions below it.
 */
export function dropQueuedOrders(home: Home, session: string): void {
  dropFrom(load(home), home, session)
}

/**
 * For a command that cannot reach the server while no daemon runs: the next one sends this cancel, and nothing that was requested before it.
 */
export function queueCancel(
  home: Home,
  cancel: Omit<Extract<QueuedOrder, { kind: 'cancel' }>, 'kind'>,
): void {
  const before = load(home)
  // It is on disk before they are not.
  load(home).add({ kind: 'cancel', ...cancel })
  dropFrom(before, home, cancel.session)
}

type Queue = DeliveryQueue<QueuedOrder>

function load(home: Home): Queue {
  const queue: Queue = new DeliveryQueue(home, isQueuedOrder)
  queue.load()
  return queue
}

function dropFrom(queue: Queue, home: Home, session: string): void {
  for (const one of queue.sessions())
    if (isWithin(one, session, read)) for (const queued of queue.of(one)) queue.remove(queued)

  function read(id: string) {
    try {
      return readProjected(home, id)?.stored
    } catch {
      return undefined
    }
  }
}
