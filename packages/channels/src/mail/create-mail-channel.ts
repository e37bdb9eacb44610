import { CadreError } from '@cadre/core'
import type { Channel, ChannelContext } from '../channel.ts'
import { openCursor } from '../cursor-file.ts'
import { openImap } from './imap-source.ts'
import { createMailIntake } from './mail-intake.ts'
import { readMailOut, readMailSettings } from './mail-settings.ts'
import type { MailSource } from './mail-source.ts'
import { openMaildir } from './maildir-source.ts'

export interface MailChannelOptions {
  /** The first pause between tries. */
  readonly pauseMs?: number
  /** How often is looked although nobody has said that there is something. */
  readonly pollMs?: number
}

/** Mail that comes in. Sending is `mail_send`'s, with or without a daemon. */
export function createMailChannel(context: ChannelContext, options: MailChannelOptions = {}): Channel {
  const { home, environment } = context
  const settings = readMailSettings(context.settings, environment, home.path)
  // Only read, so that a fault is found at the start and not at the first mail.
  const out = readMailOut(context.settings, environment)
  if (settings.in === undefined && out === undefined)
    throw new CadreError('configuration', 'set in, out, or both.', {
      where: 'config.yaml: channels.mail',
    })
  const source = sourceOf()
  return {
    name: 'mail',
    start: async () => source?.start(),
    stop: async () => source?.stop(),
  }

  function sourceOf(): MailSource | undefined {
    if (settings.in === undefined) return undefined
    const take = createMailIntake({ context, allowFrom: settings.allowFrom })
    const tell = (message: string | undefined) =>
      context.problems.report(
        'mail-source',
        '[mail]',
        message === undefined ? [] : [{ severity: 'error', message }],
      )
    const { pauseMs, pollMs } = options
    if (settings.in.kind === 'maildir') return openMaildir({ folder: settings.in.folder, take, tell, pollMs })
    const { server, mailbox } = settings.in
    return openImap({ server, mailbox, cursor: openCursor(home, 'mail-imap'), take, tell, pauseMs, pollMs })
  }
}
