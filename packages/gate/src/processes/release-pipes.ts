import type { Readable } from 'node:stream'

export interface Pipes {
  readonly pipes: readonly (Readable | undefined)[]
  /** How long the pipes must be silent before they are closed, in milliseconds. */
  readonly quiet: number
  /** The amount received so far; undefined while data is still expected. */
  readonly received: () => number | undefined
}

/**
 * Closes the pipes of a process that has exited, because a child of it may keep them open forever. Waits until no more data
 * arrives, not for a fixed time: on a busy machine, the last output may still be in transit.
 */
export function releasePipes(request: Pipes): void {
  const { pipes, quiet, received } = request
  const before = received()
  setTimeout(() => {
    setImmediate(() => {
      const now = received()
      if (now === undefined || now !== before) return releasePipes(request)
      for (const pipe of pipes) pipe?.destroy()
    })
  }, quiet).unref()
}
