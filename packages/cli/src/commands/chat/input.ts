/** A line as a person entered it. */
export interface Entered {
  readonly text: string
  /** Names behind an `@` that the person typed and saw in the line. Only these may be attached as files. */
  readonly mentions: readonly string[]
}

/** Where what a person says comes from. */
export interface Input {
  /** The next message or command, whatever it is; nothing when there will be none. `who` is whom it would go to. */
  next(who: string): Promise<Entered | undefined>
  /** Puts a text before the person, who sends it, changed or not, or gives nothing back. Absent where nobody can. */
  readonly edit?: (who: string, text: string) => Promise<Entered | undefined>
  /** Keeps a message that was sent, for the next time. */
  sent(text: string): void
  /** Lets somebody else read the keyboard, who gets nothing that was typed before. */
  readonly lend?: () => Promise<void>
  readonly reclaim?: () => void
  /** No more is read; a keyboard is given back. */
  close(): void
}
