import type { CadreEvent } from '@cadre/core'

/** A display of a run. Must not throw and must not wait. */
export interface Surface {
  event(event: CadreEvent): void
  /** Shows a line that is not an event, such as the effect of Ctrl-C. `hint` replaces the key hint. */
  say(line: string, hint?: string): void
  /** Releases the screen, for example for a question. */
  pause(): void
  resume(): void
  /** Ends the display, whose output stays. Resolves when all of it was written. */
  end(): void | Promise<void>
}

/** A pending question, with its session. */
export interface OpenQuestion {
  readonly session: string
  readonly name: string
  readonly text: string
  readonly choices: readonly string[]
  readonly call?: string
  /** The id for `cadre approve`. */
  readonly approval: string
}
