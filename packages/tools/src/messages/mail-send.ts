import { type Infer, object, optional, string, type Tool } from '@cadre/core'
import { builtIn } from '../built-in.ts'
import { sendOncePerCall } from './send-once-per-call.ts'
import type { SenderOptions } from './senders.ts'

const input = object({
  to: string("The recipient's address; separate several with commas", { min: 3, max: 2_000 }),
  subject: string('The subject, one line', { min: 1, max: 500 }),
  text: string('The message, as plain text', { min: 1, max: 100_000 }),
  in_reply_to: optional(
    string('To answer an email: its id, from inbox/email-inbox.jsonl', { min: 3, max: 500 }),
  ),
})

export type MailSendInput = Infer<typeof input>

export function mailSendTool(senders: SenderOptions): Tool {
  return builtIn<MailSendInput>({
    name: 'mail_send',
    description: 'Send an email to other people. A sent email cannot be withdrawn.',
    class: 'message',
    effect: 'outbound',
    argumentAliases: { body: 'text', inReplyTo: 'in_reply_to' },
    input,
    load: () =>
      sendOncePerCall(async () => {
        const { mail } = await senders.load()
        if (mail === undefined)
          throw new Error('mail is not configured. Set channels.mail.out in config.yaml')
        return mail
      }),
  })
}
