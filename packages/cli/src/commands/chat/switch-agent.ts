import { type Conversation, chooseAgent } from '@cadre/runtime'
import { cleanLine } from '../../output/clean-text.ts'
import type { Chat } from './chat.ts'

/** Sends the next message to this agent. Rejects an unknown agent, or one that people may not start. */
export function switchAgent({ runtime, conversation }: Chat, name: string): void {
  conversation.agent = chooseAgent(runtime, name)
}

export function switchMessage({ agent }: Conversation): string {
  return `Chatting with ${cleanLine(agent.name)}.`
}
