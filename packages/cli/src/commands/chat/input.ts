/** A line as a person entered it. */
export interface EnteredLine {
  readonly text: string
  /** Names after an `@` that the person typed and saw in the line. Only these may be attached as files. */
  readonly mentions: readonly string[]
}

/** A source of messages. */
export interface Input {
  /** Returns the next message or command; undefined at the end. `who` is the recipient. */
  next(who: string): Promise<EnteredLine | undefined>
  /** Lets the person edit and send a text, or cancel with undefined. Absent without a terminal. */
  readonly edit?: (who: string, text: string) => Promise<EnteredLine | undefined>
  /** Stores a sent message in the history. */
  sent(text: string): void
  /** Lets other code read the keyboard; earlier input is discarded. */
  readonly lend?: () => Promise<void>
  readonly reclaim?: () => void
  /** Stops reading, and restores the keyboard. */
  close(): void
}
