import { sentenceOf } from '@cadre/core'
import type { ChannelContext } from '../channel.ts'
import { type RawMail, readMail } from './read-mail.ts'

/** Resolves with true if the email is on disk or can be ignored: only then may it be marked as seen. */
export type HandleMail = (mail: RawMail) => Promise<boolean>

export interface MailIntakeOptions {
  readonly context: Pick<ChannelContext, 'receive' | 'note' | 'problems'>
  readonly allowFrom: readonly string[] | undefined
}

export function createMailIntake({ context, allowFrom }: MailIntakeOptions): HandleMail {
  const { receive, note, problems } = context
  return async (mail) => {
    const line = await readMail(mail)
    const { id, from } = line
    if (allowFrom !== undefined && !isAllowed(from, allowFrom)) {
      note({
        type: 'mail.refused',
        message: `Cadre ignored an email from ${shortenSender(from)}, because allow_from does not list this address.`,
        id,
      })
      return true
    }
    try {
      if ((await receive('email-inbox', line)) === 'new')
        note({ type: 'mail.received', message: `Received an email from ${shortenSender(from)}.`, id })
      problems.report('mail-inbox', '[mail]', [])
      return true
    } catch (error) {
      const message = `Cannot store an email, so it stays on the server or in the Maildir: ${sentenceOf(error)}`
      problems.report('mail-inbox', '[mail]', [{ severity: 'error', message }])
      return false
    }
  }
}

function isAllowed(from: string, allowed: readonly string[]): boolean {
  const domain = from.slice(from.lastIndexOf('@'))
  return from !== '' && allowed.some((one) => one === from || (one.startsWith('@') && one === domain))
}

function shortenSender(from: string): string {
  return from === '' ? 'nobody' : from.slice(0, 100)
}
