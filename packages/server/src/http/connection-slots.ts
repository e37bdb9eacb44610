import type { Socket } from 'node:net'

/**
 * Bounds the number of open connections. Owns which of them has to go when there are too many:
 *
 * 1. A new connection is always taken, unless every other one has a request that is being answered.
 * 2. To make room, the connection goes that has been waiting longest: for headers, for a body, or for the next request.
 *    So senders that are slow, or never finish, make room for those that are not, however many they are.
 */
export interface ConnectionSlots {
  add(socket: Socket): void
  /** Its request is here in full: it stays until it is answered. */
  begin(socket: Socket): void
  /** It was answered, and waits for the next request. */
  finish(socket: Socket): void
}

export function createConnectionSlots(most: number): ConnectionSlots {
  /** In the order in which they began to wait. */
  const waiting = new Set<Socket>()
  const busy = new Set<Socket>()
  return {
    add(socket) {
      waiting.add(socket)
      socket.once('close', () => {
        waiting.delete(socket)
        busy.delete(socket)
      })
      if (waiting.size + busy.size <= most) return
      const [longest = socket] = waiting
      waiting.delete(longest)
      longest.destroy()
    },
    begin(socket) {
      if (waiting.delete(socket)) busy.add(socket)
    },
    finish(socket) {
      if (busy.delete(socket)) waiting.add(socket)
    },
  }
}
