import { type Infer, object, optional, string, type Tool } from '@cadre/core'
import { builtIn, type Work, without } from '../built-in.ts'
import type { MessagePort } from './message-port.ts'

const input = object({
  to: string('The agent, or the session of an agent, that gets it', { min: 1, max: 200 }),
  text: string('What you want to say. It is all the other one sees', { min: 1, max: 100_000 }),
  summary: optional(string('What it is about, in a few words', { max: 200 })),
})

export type SendMessageInput = Infer<typeof input>

export function sendMessageTool(port: () => MessagePort): Tool {
  // Once: what it knows of the mailboxes is followed from then on.
  let work: Work<SendMessageInput> | undefined
  return builtIn<SendMessageInput>({
    name: 'send_message',
    description:
      'Leave a message for another agent. It is queued and delivered by itself; an answer, if there is one, comes to you as a message. Do not wait for it.',
    class: 'message',
    // It is written into the home and nowhere else: whatever the other agent does about it is judged then.
    effect: 'write',
    argumentAliases: {
      agent_id: 'to',
      agentId: 'to',
      agent: 'to',
      recipient: 'to',
      target: 'to',
      content: 'text',
      message: 'text',
      body: 'text',
      subject: 'summary',
    },
    reshape: (given) => without(given, ['type']),
    input,
    load: async () => (work ??= (await import('./send-message.ts')).sendMessage(port())),
  })
}
