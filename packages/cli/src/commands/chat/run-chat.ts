import { CadreError } from '@cadre/core'
import { chooseAgent, namesOf } from '@cadre/runtime'
import type { ExitCode } from '../../exit-codes.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { cutText } from '../../output/text-width.ts'
import type { Chat } from './chat.ts'
import { runCommand } from './chat-commands.ts'
import { type Meaning, understandLine } from './chat-line.ts'
import { switchAgent, talksTo } from './switch-agent.ts'
import { takeHandoff } from './take-handoff.ts'
import { sendMessage } from './take-turn.ts'

/**
 * Takes one line after the other until the person leaves. Gives back the exit code of the last turn; a message that could not
 * be sent is one that failed, a command that could not be carried out is none.
 */
export async function runChat(chat: Chat): Promise<ExitCode> {
  while (!chat.isLeft) {
    const line = await chat.input.next(cutText(cleanLine(chat.conversation.agent.name), 30))
    if (line === undefined) break
    const { conversation, runtime } = chat
    const meaning = understandLine(line, {
      names: namesOf(runtime),
      handoffs: conversation.handoffs.length,
    })
    try {
      await carryOut(chat, meaning, line)
    } catch (error) {
      if (!(error instanceof CadreError)) throw error
      const code = chat.output.failure(error)
      if (meaning.kind !== 'command') chat.code = code
    }
  }
  return chat.code
}

async function carryOut(chat: Chat, meaning: Meaning, line: string): Promise<void> {
  switch (meaning.kind) {
    case 'command':
      return runCommand(chat, meaning.name, meaning.rest)
    case 'handoff':
      return takeHandoff(chat, meaning.number)
    case 'message':
      return sendMessage(chat, meaning.text, line)
    case 'unknown':
      // Refused, with the names that are like it.
      chooseAgent(chat.runtime, meaning.name)
      return
    case 'agent':
      return address(chat, meaning.name, meaning.text, line)
  }
}

async function address(chat: Chat, name: string, text: string, line: string): Promise<void> {
  const { conversation, output } = chat
  const before = conversation.agent
  switchAgent(chat, name)
  if (text === '') return output.note(talksTo(conversation))
  try {
    await sendMessage(chat, text, line)
  } catch (error) {
    // Nothing was sent: the conversation is still with whom it was.
    conversation.agent = before
    throw error
  }
}
