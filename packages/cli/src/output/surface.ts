import type { CadreEvent } from '@cadre/core'

/** Somewhere a run is shown while it goes on. Must not throw and must not wait. */
export interface Surface {
  event(event: CadreEvent): void
  /** A line that is not an event: what Ctrl-C did, and the like. `hint` replaces what the surface says a person can do. */
  say(line: string, hint?: string): void
  /** Leaves the screen to somebody else, such as a question to the person. */
  pause(): void
  resume(): void
  /** No more events follow. What is shown stays. Resolves when all of it is with the reader. */
  end(): void | Promise<void>
}

/** A question that waits for a person, with the session it belongs to. */
export interface OpenQuestion {
  readonly session: string
  readonly name: string
  readonly text: string
  readonly choices: readonly string[]
  readonly call?: string
  /** The id for `cadre approve`. */
  readonly approval: string
}
