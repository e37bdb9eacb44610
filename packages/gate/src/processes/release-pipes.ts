import type { Readable } from 'node:stream'

export interface Pipes {
  readonly pipes: readonly (Readable | undefined)[]
  /** How long nothing may come before they are let go, in milliseconds. */
  readonly quiet: number
  /** How much has come so far; nothing as long as something still has to. */
  readonly received: () => number | undefined
}

/**
 * For a process that has ended: something it started may hold its pipes open for ever. They are let go when nothing more
 * comes, and not by the time alone: on a busy machine what it wrote last may still be on its way.
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
