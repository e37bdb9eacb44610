import { existsSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { chooseAgent, namesOf } from '@cadre/runtime'
import type { ExitCode } from '../../exit-codes.ts'
import { cleanLine, cleanText } from '../../output/clean-text.ts'
import { truncateText } from '../../output/text-width.ts'
import { type AgentAddress, readAddress } from '../../run/read-address.ts'
import { acceptHandoff } from './accept-handoff.ts'
import type { Chat } from './chat.ts'
import { runCommand } from './chat-commands.ts'
import type { EnteredLine } from './input.ts'
import { runShellCommand } from './run-shell-command.ts'
import { sendMessage } from './run-turn.ts'
import { switchAgent, switchMessage } from './switch-agent.ts'

/**
 * Handles one line after the other until the person leaves. Returns the exit code of the last turn; a message that could
 * not be sent is a failed turn, a failed command is not.
 */
export async function runChat(chat: Chat): Promise<ExitCode> {
  while (!chat.isLeft) {
    const entered = await nextLine(chat)
    if (entered === undefined) break
    const { conversation, runtime } = chat
    const meaning = interpretLine(entered.text, {
      names: namesOf(runtime),
      handoffs: conversation.handoffs.length,
      isPerson: chat.screen !== undefined,
      isFile: (name) => existsSync(path.resolve(conversation.workspace, name)),
    })
    try {
      await handleMeaning(chat, meaning, entered)
    } catch (error) {
      if (!(error instanceof CadreError)) throw error
      const code = chat.output.failure(error)
      if (meaning.kind !== 'command' && meaning.kind !== 'own') chat.code = code
    }
  }
  return chat.code
}

/** Lines typed while agents worked come first. */
async function nextLine(chat: Chat): Promise<EnteredLine | undefined> {
  await Promise.allSettled(chat.deliveries)
  if (chat.screen !== undefined) chat.screen.waiting = []
  // A person who stops a turn does not want queued lines to run: they return to the input line.
  if (chat.drive.stoppedBy !== undefined) chat.screen?.restore(chat.queue.splice(0))
  const who = truncateText(cleanLine(chat.conversation.agent.name), 30)
  const queued = chat.queue.shift()
  if (queued !== undefined) chat.output.note(chat.drive.style.bold(`${who}> ${cleanText(queued.text)}`))
  return queued ?? chat.input.next(who)
}

async function handleMeaning(chat: Chat, meaning: Meaning, entered: EnteredLine): Promise<void> {
  switch (meaning.kind) {
    case 'command':
      return runCommand(chat, meaning.name, meaning.rest)
    case 'own':
      return runShellCommand(chat, meaning.command)
    case 'handoff':
      return acceptHandoff(chat, meaning.number)
    case 'message':
      return sendMessage(chat, meaning.text, entered)
    case 'unknown':
      // Rejected, with similar names.
      chooseAgent(chat.runtime, meaning.name)
      return
    case 'agent':
      return sendToAgent(chat, meaning.name, meaning.text, entered)
  }
}

async function sendToAgent(chat: Chat, name: string, text: string, entered: EnteredLine): Promise<void> {
  const { conversation, output } = chat
  const before = conversation.agent
  switchAgent(chat, name)
  if (text === '') return output.note(switchMessage(conversation))
  try {
    await sendMessage(chat, text, entered)
  } catch (error) {
    // Nothing was sent, so the agent of the conversation does not change.
    conversation.agent = before
    throw error
  }
}

/** The meaning of an input line. */
type Meaning =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly name: string; readonly rest: string }
  /** A shell command of the person. */
  | { readonly kind: 'own'; readonly command: string }
  /** One of the available handoffs, from 1. */
  | { readonly kind: 'handoff'; readonly number: number }
  | Exclude<AgentAddress, { kind: 'none' }>

interface Known {
  readonly names: readonly string[]
  readonly handoffs: number
  readonly isPerson: boolean
  readonly isFile: (name: string) => boolean
}

/**
 * `/name …` is a command, `@name …` addresses an agent, a number accepts the handoff with that number. In a terminal, `!…`
 * is a shell command, and `@path` may start a message. A message that starts like one of these is written `//…`, or with a
 * leading backslash.
 */
function interpretLine(line: string, known: Known): Meaning {
  const text = line.trim()
  if (text.startsWith('//')) return { kind: 'message', text: text.slice(1) }
  if (/^\\[/@\d]/.test(text) || (known.isPerson && text.startsWith('\\!')))
    return { kind: 'message', text: text.slice(1) }
  if (text.startsWith('/')) {
    const [, name = '', rest = ''] = /^\/(\S*)\s*(.*)$/s.exec(text) ?? []
    return { kind: 'command', name: name.toLowerCase(), rest: rest.trim() }
  }
  if (known.isPerson && /^!\s*\S/.test(text)) return { kind: 'own', command: text.slice(1).trim() }
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= known.handoffs) return { kind: 'handoff', number }
  const address = readAddress(text, known.names)
  if (address.kind === 'unknown' && known.isPerson && known.isFile(address.name))
    return { kind: 'message', text }
  return address.kind === 'none' ? { kind: 'message', text: address.text } : address
}
