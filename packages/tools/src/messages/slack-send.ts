import { type Infer, object, optional, string, type Tool } from '@cadre/core'
import { builtIn } from '../built-in.ts'
import { sendOncePerCall } from './send-once-per-call.ts'
import type { SenderOptions } from './senders.ts'

const input = object({
  channel: string("The channel's id, as in slack_read messages", {
    min: 1,
    max: 200,
  }),
  text: string('The message', { min: 1, max: 8_000 }),
  thread_ts: optional(string('To answer in a thread: the ts of its first message', { min: 1, max: 40 })),
})

export type SlackSendInput = Infer<typeof input>

export function slackSendTool(senders: SenderOptions): Tool {
  return builtIn<SlackSendInput>({
    name: 'slack_send',
    description:
      'Post a message to a Slack channel, where other people read it. A sent message cannot be withdrawn.',
    class: 'message',
    effect: 'outbound',
    argumentAliases: { message: 'text', channel_id: 'channel', threadTs: 'thread_ts' },
    input,
    load: () => sendOncePerCall(async () => (await senders.load()).slack),
  })
}
