import type { ToolImplementation } from '../built-in.ts'
import type { Sender } from './senders.ts'

/** The implementation of a tool that sends: the key of the call ensures that it happens once. */
export function sendOncePerCall<Message>(load: () => Promise<Sender<Message>>): ToolImplementation<Message> {
  return {
    async run(message, { key }, signal) {
      const { kind, text } = await (await load()).send(message, key, signal)
      return { content: text, ...(kind === 'failed' && { failed: true }) }
    },
    check: async (message, { key }, signal) => (await load()).check(message, key, signal),
  }
}
