/** Where what a person says comes from. */
export interface Input {
  /** The next message or command, whatever it is; nothing when there will be none. `who` is whom it would go to. */
  next(who: string): Promise<string | undefined>
  /** Puts a text before the person, who sends it, changed or not, or gives nothing back. Absent where nobody can. */
  readonly edit?: (who: string, text: string) => Promise<string | undefined>
  /** Keeps a message that was sent, for the next time. */
  sent(text: string): void
  /** Lets somebody else read the keyboard, who gets nothing that was typed before. */
  readonly lend?: () => Promise<void>
  readonly reclaim?: () => void
  /** No more is read; a keyboard is given back. */
  close(): void
}
