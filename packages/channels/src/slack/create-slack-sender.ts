import { CadreError, sentenceOf } from '@cadre/core'
import type { Outbox } from '@cadre/home'
import type { Sender, SlackMessage } from '@cadre/tools'
import { findSent } from './find-sent.ts'
import { postOnce } from './post-once.ts'
import type { SlackApi } from './slack-api.ts'
import { slackText } from './slack-text.ts'

export interface SlackSenderOptions {
  readonly api: SlackApi
  readonly outbox: Outbox
  /** Absent: every channel that the app is in. */
  readonly channels?: ReadonlySet<string> | undefined
  readonly pauseMs?: number | undefined
}

export const slackOutbox = 'slack'
export const slackInbox = 'slack-messages'

/** Posts to Slack. A message in doubt is searched in the channel by its key. */
export function createSlackSender({
  api,
  outbox,
  channels,
  pauseMs,
}: SlackSenderOptions): Sender<SlackMessage> {
  const look = async (message: SlackMessage, key: string, signal: AbortSignal) => {
    const entry = outbox.find(slackOutbox, key)
    if (entry?.state !== 'sending') return entry?.state === 'sent' ? 'done' : 'not_done'
    const { channel, thread_ts } = message
    const since = Date.parse(entry.at) || 0
    const found = await findSent(api, { channel, thread_ts, key, since }, signal)
    if (found.kind === 'unknown') return 'unknown'
    if (found.kind === 'absent') {
      await outbox.release(slackOutbox, key, 'The message is not in the channel.')
      return 'not_done'
    }
    await outbox.settle(slackOutbox, key, { channel: found.channel, ts: found.ts })
    return 'done'
  }
  return {
    check: look,
    async send(message, key, signal) {
      const { channel, text, thread_ts } = message
      if (channels !== undefined && !channels.has(channel))
        return failed(
          `Sending to ${channel} is not allowed. A person can allow it under channels.slack.channels.`,
        )
      if (thread_ts !== undefined && !/^\d{1,16}\.\d{1,10}$/.test(thread_ts))
        return failed("thread_ts must be a message's ts, such as 1712345678.000200.")
      try {
        if ((await look(message, key, signal)) === 'unknown')
          // It runs again only if a person decided so.
          await outbox.release(slackOutbox, key, 'A person decided to send the message again.')
        const { receipt = {} } = await outbox.send(
          {
            channel: slackOutbox,
            key,
            inbox: slackInbox,
            message: { channel, text, ...(thread_ts !== undefined && { thread_ts }) },
          },
          () =>
            postOnce(
              api,
              {
                channel,
                thread_ts,
                key,
                pauseMs,
                content: { text: slackText(text), parse: 'none', link_names: false },
              },
              signal,
            ),
        )
        return {
          kind: 'sent',
          text: `Posted to ${String(receipt['channel'] ?? channel)} (ts ${String(receipt['ts'])}).`,
        }
      } catch (error) {
        if (error instanceof CadreError && error.code === 'in_doubt')
          return failed(`${error.message} Check with a member of the channel before you send it again.`)
        return failed(`The message was not sent. ${sentenceOf(error)}`)
      }
    },
  }
}

function failed(text: string) {
  return { kind: 'failed', text } as const
}
