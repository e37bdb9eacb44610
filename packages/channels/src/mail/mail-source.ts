/** Where mails come from. */
export interface MailSource {
  /** Comes back when what was there is taken in and more is heard of. Rejects with a `CadreError` that says what to change. */
  start(): Promise<void>
  /** Afterwards nothing is being taken in. */
  stop(): Promise<void>
}
