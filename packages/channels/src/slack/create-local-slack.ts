import type { Outbox } from '@cadre/home'
import type { Sender, SlackMessage } from '@cadre/tools'
import { slackInbox, slackOutbox } from './create-slack-sender.ts'

/** Used if Slack is not configured: messages are only written to the home. */
export function createLocalSlack(outbox: Outbox): Sender<SlackMessage> {
  // Nothing is sent, so an attempt that a crash interrupted can be repeated.
  const reopen = async (key: string) => {
    const state = outbox.find(slackOutbox, key)?.state
    if (state === 'sending') await outbox.release(slackOutbox, key, 'Sending was interrupted.')
    return state === 'sent' ? 'done' : 'not_done'
  }
  return {
    check: (_message, key) => reopen(key),
    async send({ channel, text, thread_ts }, key) {
      await reopen(key)
      await outbox.send(
        {
          channel: slackOutbox,
          key,
          inbox: slackInbox,
          message: { channel, text, ...(thread_ts !== undefined && { thread_ts }) },
        },
        async () => ({ file: `outbox/${slackOutbox}.jsonl` }),
      )
      return {
        kind: 'sent',
        text: `Recorded in outbox/${slackOutbox}.jsonl and inbox/${slackInbox}.jsonl only: Slack is not configured, so the message was not sent.`,
      }
    },
  }
}
