import { type AgentDefinition, CadreError, type Handoff } from '@cadre/core'
import { assistant, chooseAgent, namesOf } from '@cadre/runtime'
import { cleanLine, cleanText } from '../../output/clean-text.ts'
import { sendsImmediately } from '../../output/handoff-text.ts'
import { truncateText } from '../../output/text-width.ts'
import type { Chat } from './chat.ts'
import { sendMessage } from './run-turn.ts'

/**
 * Accepts a handoff. Its message is sent immediately, or put into the input line first: as the handoff specifies, unless
 * the person chooses.
 */
export async function acceptHandoff(chat: Chat, number: number, how?: 'fill' | 'send'): Promise<void> {
  const { conversation, input, output } = chat
  const handoff = conversation.handoffs[number - 1]
  if (handoff === undefined) throw handoffNotOffered(number, conversation.handoffs.length)
  const to = targetOf(chat, handoff)
  if (how === 'send' && handoff.prompt.trim() === '')
    throw new CadreError(
      'usage',
      `the handoff ${quoteHandoff(handoff)} has no message to send. Type your own, starting with @${to.name}.`,
    )
  if (how === 'send' || (how === undefined && sendsImmediately(handoff)))
    return sendMessage(chat, handoff.prompt, { text: handoff.prompt, mentions: [] }, { handoff, to })
  if (input.edit === undefined) {
    const text = `Nothing was sent. ${quoteHandoff(handoff)} would send this to ${cleanLine(to.name)}:\n${cleanText(handoff.prompt)}\nSend it with /handoff ${number} send.`
    return output.note(text, { type: 'filled', handoff: number, agent: to.name, prompt: handoff.prompt })
  }
  const entered = await input.edit(truncateText(cleanLine(to.name), 30), handoff.prompt)
  if (entered === undefined) return output.note('Handoff cancelled.')
  return sendMessage(chat, entered.text, entered, { handoff, to })
}

function targetOf({ runtime }: Chat, handoff: Handoff): AgentDefinition {
  const isGeneral = handoff.agent.toLowerCase() === 'agent'
  // Other hosts use this name for their general agent; here it is the assistant, unless an agent has that name.
  if (isGeneral && !namesOf(runtime).some((name) => name.toLowerCase() === 'agent')) return assistant
  try {
    return chooseAgent(runtime, handoff.agent)
  } catch (error) {
    if (!(error instanceof CadreError)) throw error
    const message = `the handoff ${quoteHandoff(handoff)} cannot be accepted: ${error.message}`
    throw new CadreError(error.code, message, { cause: error })
  }
}

function handoffNotOffered(number: number, count: number): CadreError {
  if (count === 0) return new CadreError('usage', 'no handoff is available.')
  const numbers = count === 1 ? 'only 1 is' : `1 to ${count} are`
  return new CadreError(
    'usage',
    `there is no handoff ${number}: ${numbers} available. List them with /handoff.`,
  )
}

function quoteHandoff({ label, agent }: Handoff): string {
  return JSON.stringify(cleanLine(label) || cleanLine(agent))
}
