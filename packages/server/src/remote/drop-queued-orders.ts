import type { Home } from '@cadre/home'
import { readProjected } from '@cadre/journal'
import { DeliveryQueue, isQueuedOrder } from '../sessions/delivery-queue.ts'
import { isWithin } from './is-within.ts'

/**
 * For a command that has cancelled a session while no daemon runs: the next one must not send what was requested before for it or for
 * sessions below it.
 */
export function dropQueuedOrders(home: Home, session: string): void {
  const queue = new DeliveryQueue(home, isQueuedOrder)
  queue.load()
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
