import { CadreError } from '@cadre/core'
import type { Channel, ChannelContext } from '../channel.ts'
import { openCursor } from '../cursor-file.ts'
import { openImap } from './imap-source.ts'
import { createMailIntake } from './mail-intake.ts'
import { readMailOut, readMailSettings } from './mail-settings.ts'
import type { MailSource } from './mail-source.ts'
import { openMaildir } from './maildir-source.ts'

export interface MailChannelOptions {
  /** The first pause between retries. */
  readonly pauseMs?: number
  /** The poll interval if there is no notification. */
  readonly pollMs?: number
}

/** Receives mail. The tool `mail_send` sends it, with or without a daemon. */
export function createMailChannel(context: ChannelContext, options: MailChannelOptions = {}): Channel {
  const { home, environment } = context
  const settings = readMailSettings(context.settings, environment, home.path)
  // Read only to find configuration errors at startup, not at the first mail.
  const out = readMailOut(context.settings, environment)
  if (settings.in === undefined && out === undefined)
    throw new CadreError('configuration', 'Set "in", "out" or both.', {
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
