import { createHash } from 'node:crypto'
import type { JsonObject } from '@cadre/core'
import { htmlText } from '@cadre/tools'
import type { Address, Attachment, Email } from 'postal-mime'
import { isMessageId } from './mail-address.ts'

export interface RawMail {
  readonly bytes: Uint8Array
  /** Its full size: `bytes` may contain only its start. */
  readonly size: number
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number
}

export type MailLine = JsonObject & { readonly id: string; readonly from: string }

/** Only this much of an email is read. */
export const maxBytes = 10 * 1_024 * 1_024
const maxLength = 100_000
const maxAddresses = 100
const maxAttachments = 50

/**
 * Returns the line of an email for `inbox/email-inbox.jsonl`. Even a damaged email gives a line, with everything that could be
 * read.
 */
export async function readMail(mail: RawMail): Promise<MailLine> {
  const { default: PostalMime } = await import('postal-mime')
  const options = { maxNestingDepth: 50, maxHeadersSize: 1_024 * 1_024, forceRfc822Attachments: true }
  try {
    return lineOf(mail, await PostalMime.parse(mail.bytes, options))
  } catch {
    const text = 'Cadre cannot read this email, because it is damaged.'
    return {
      ...frameOf(mail, undefined),
      from: '',
      to: [],
      subject: '',
      text,
      attachments: [],
      damaged: true,
    }
  }
}

function lineOf(mail: RawMail, email: Email): MailLine {
  const text = textOf(email)
  const { inReplyTo } = email
  const replyTo = inReplyTo?.trim() ?? ''
  return {
    ...frameOf(mail, email.messageId?.trim()),
    from: addressesIn(email.from === undefined ? [] : [email.from])[0] ?? '',
    to: addressesIn([...(email.to ?? []), ...(email.cc ?? [])]),
    subject: oneLine(email.subject ?? ''),
    text: text.slice(0, maxLength),
    ...(isMessageId(replyTo) && { in_reply_to: replyTo }),
    attachments: email.attachments.slice(0, maxAttachments).map(attachmentOf),
    ...((text.length > maxLength || mail.size > mail.bytes.byteLength) && { cut: true }),
    ...(isAutomatic(email) && { automatic: true }),
  }
}

/** An email without an id is identified by its content. */
function frameOf({ bytes, at }: RawMail, messageId: string | undefined) {
  const id =
    messageId !== undefined && isMessageId(messageId)
      ? messageId
      : `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  return { id, at: new Date(at).toISOString(), direction: 'in' }
}

function textOf(email: Email): string {
  const { text = '', html } = email
  return (text.trim() === '' && html !== undefined ? htmlText(html).text : text).replaceAll('\r\n', '\n')
}

function addressesIn(addresses: readonly Address[]): string[] {
  return addresses
    .flatMap((one) => (one.group === undefined ? [one.address] : one.group.map(({ address }) => address)))
    .flatMap((address) =>
      typeof address === 'string' && address !== '' ? [oneLine(address.toLowerCase())] : [],
    )
    .slice(0, maxAddresses)
}

function attachmentOf({ filename, mimeType, content }: Attachment) {
  return {
    name: oneLine(filename ?? 'without a name').slice(0, 200),
    type: oneLine(mimeType).slice(0, 100),
    size: typeof content === 'string' ? content.length : content.byteLength,
  }
}

/** Out-of-office replies, lists, bounces: a program that answers them could loop forever. */
function isAutomatic({ headers }: Email): boolean {
  return headers.some(
    ({ key, value }) =>
      (key === 'auto-submitted' && !/^\s*no\b/i.test(value)) ||
      (key === 'precedence' && /^\s*(bulk|list|junk)\b/i.test(value)),
  )
}

function oneLine(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 1_000)
}
