/** A source of incoming emails. */
export interface MailSource {
  /**
   * Resolves when existing emails were received and new ones are watched for. Rejects with a `CadreError` that explains what
   * to change.
   */
  start(): Promise<void>
  /** Resolves when nothing is being received. */
  stop(): Promise<void>
}
