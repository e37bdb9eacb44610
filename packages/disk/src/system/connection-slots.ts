import type { Socket } from 'node:net'

/**
 * Limits the number of open connections, and decides which one to close if there are too many:
 *
 * 1. A new connection is always accepted, unless all others have a request that is being handled.
 * 2. The connection that has been waiting longest is closed, whether for headers, a body or the next request. So slow senders cannot block
 *    others, however many they are.
 */
export interface ConnectionSlots {
  add(socket: Socket): void
  /** Call it when a request is complete. The connection is kept until it is answered. */
  begin(socket: Socket): void
  /** Call it when the request was answered. The connection then waits for the next one. */
  finish(socket: Socket): void
  /** Closes waiting connections: those that have sent nothing yet, or all of them. */
  closeWaiting(which: 'unused' | 'all'): void
}

export function createConnectionSlots(max: number): ConnectionSlots {
  /** In the order in which they started waiting. */
  const waiting = new Set<Socket>()
  const busy = new Set<Socket>()
  return {
    add(socket) {
      waiting.add(socket)
      socket.once('close', () => {
        waiting.delete(socket)
        busy.delete(socket)
      })
      if (waiting.size + busy.size <= max) return
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
    closeWaiting(which) {
      for (const socket of waiting) if (which === 'all' || socket.bytesRead === 0) socket.destroy()
    },
  }
}
