import { Transform } from 'node:stream'
import { CadreError, type JsonObject, messageOf, sentenceOf } from '@cadre/core'
import { maskSecrets } from '@cadre/disk'
import type { Outbox } from '@cadre/home'
import type { MailMessage, Sender } from '@cadre/tools'
import { messageKey } from '../message-key.ts'
import { addressesOf, isMessageId } from './mail-address.ts'
import type { MailOut } from './mail-settings.ts'

export interface MailSenderOptions {
  readonly out: MailOut
  readonly outbox: Outbox
  readonly timeoutMs?: number
}

const mailOutbox = 'mail'
const mailInbox = 'email-inbox'
const maxRecipients = 20

/**
 * Sends by SMTP. A server cannot be asked whether it accepted an email: after a crash with an unknown result, a person
 * decides. The Message-ID is derived from the key, so that recipients can recognise a duplicate.
 */
export function createMailSender({
  out,
  outbox,
  timeoutMs = 60_000,
}: MailSenderOptions): Sender<MailMessage> {
  return {
    async check(_message, key) {
      const state = outbox.find(mailOutbox, key)?.state
      return state === 'sent' ? 'done' : state === 'sending' ? 'unknown' : 'not_done'
    },
    async send(message, key) {
      const { to, subject, text, in_reply_to } = message
      const receivers = addressesOf(to)
      const fault = faultIn(message, receivers)
      if (fault !== undefined || receivers === undefined) return { kind: 'failed', text: fault ?? '' }
      try {
        // It runs again only if a person decided so.
        if (outbox.find(mailOutbox, key)?.state === 'sending')
          await outbox.release(mailOutbox, key, 'A person decided to send the message again.')
        const { receipt = {} } = await outbox.send(
          {
            channel: mailOutbox,
            key,
            inbox: mailInbox,
            message: {
              from: out.from,
              to: receivers,
              subject,
              text,
              ...(in_reply_to !== undefined && { in_reply_to }),
            },
          },
          () => deliver({ ...message, receivers }, key),
        )
        const rejected = Array.isArray(receipt['rejected']) ? receipt['rejected'] : []
        const refused =
          rejected.length === 0 ? '' : ` The server rejected these recipients: ${rejected.join(', ')}.`
        return { kind: 'sent', text: `Sent as ${String(receipt['message_id'])}.${refused}` }
      } catch (error) {
        if (error instanceof CadreError && error.code === 'in_doubt')
          return {
            kind: 'failed',
            text: `${error.message} Check with the recipient before you send it again.`,
          }
        return { kind: 'failed', text: `The email was not sent. ${sentenceOf(error)}` }
      }
    },
  }

  async function deliver(
    { receivers, subject, text, in_reply_to }: MailMessage & { readonly receivers: readonly string[] },
    key: string,
  ): Promise<JsonObject> {
    const { createTransport } = await import('nodemailer')
    const { host, port, secure, isLocal, user, password = '' } = out.server
    const transport = createTransport({
      host,
      port,
      secure,
      // Never unencrypted over a network, whatever the server offers.
      ...(!secure && (isLocal ? { ignoreTLS: true } : { requireTLS: true })),
      ...(user !== undefined && { auth: { user, pass: password } }),
      connectionTimeout: Math.min(timeoutMs, 20_000),
      greetingTimeout: Math.min(timeoutMs, 20_000),
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    // Before the server requests the text, it cannot have accepted it.
    let isUnderWay = false
    transport.use('stream', (mail, done) => {
      mail.message.transform(
        () =>
          new Transform({
            transform(chunk, _encoding, passOn) {
              isUnderWay = true
              passOn(null, chunk)
            },
          }),
      )
      done()
    })
    const messageId = `<cadre.${messageKey(key)}@${out.from.slice(out.from.lastIndexOf('@') + 1)}>`
    try {
      const info = await transport.sendMail({
        from: out.from,
        to: [...receivers],
        subject,
        text,
        messageId,
        ...(in_reply_to !== undefined && { inReplyTo: in_reply_to, references: in_reply_to }),
      })
      return { message_id: messageId, rejected: (info.rejected ?? []).map(String) }
    } catch (error) {
      const said = maskSecrets(messageOf(error), password === '' ? [] : [password])
        .replace(/\s+/g, ' ')
        .slice(0, 300)
      // An SMTP response code means that the server did not accept it.
      const { responseCode } = error as { responseCode?: unknown }
      if (isUnderWay && typeof responseCode !== 'number')
        throw new CadreError(
          'in_doubt',
          `Cadre does not know whether the server accepted the email (${said}).`,
        )
      throw new CadreError('backend', `${host}: ${said}`)
    } finally {
      transport.close()
    }
  }
}

/** No part of a message may become an unintended header. */
function faultIn(
  { subject, text, in_reply_to }: MailMessage,
  receivers: readonly string[] | undefined,
): string | undefined {
  if (receivers === undefined)
    return 'to must be an address such as a@example.org, or several separated by commas, without names.'
  if (receivers.length > maxRecipients)
    return `Too many recipients: ${receivers.length} (at most ${maxRecipients}).`
  if (/[\p{Cc}\u2028\u2029]/u.test(subject)) return 'subject must be one line.'
  if (text.includes('\0')) return 'text must not contain a NUL character.'
  if (in_reply_to !== undefined && !isMessageId(in_reply_to))
    return "in_reply_to must be an email's id, such as <abc@example.org>."
  return undefined
}
