import type { MailMessage } from '../mailboxes/mail-message.ts'
import { Mailbox } from '../mailboxes/mailbox.ts'

/** The mailbox of a member. Keeps undelivered messages in memory, because teams ask for them often. */
export class TeamInbox extends Mailbox {
  private readonly kept = new Map<string, MailMessage>()

  /** Messages without a receipt, in the order in which they were sent. */
  undelivered(): readonly MailMessage[] {
    return [...this.kept.values()]
  }

  override receive(id: string): void {
    super.receive(id)
    this.kept.delete(id)
  }

  protected override add(message: MailMessage): void {
    super.add(message)
    if (!this.received.has(message.id)) this.kept.set(message.id, message)
  }

  protected override forget(): void {
    super.forget()
    this.kept.clear()
  }
}
