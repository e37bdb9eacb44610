import { CadreError, contextOf, didYouMean, emptyView } from '@cadre/core'
import { assistant, namesOf } from '@cadre/runtime'
import { cleanLine } from '../../output/clean-text.ts'
import { conversationText } from '../../output/conversation-text.ts'
import { localTime } from '../../output/local-time.ts'
import { textTable } from '../../output/text-table.ts'
import type { Chat } from './chat.ts'
import { offer } from './chat-output.ts'
import { isUnfinished, newestConversation, refuseOwned, showLast } from './find-conversation.ts'
import { promptRows, runPromptFile } from './prompt-files.ts'
import { showTurnTree } from './show-turn-tree.ts'
import { switchAgent, talksTo } from './switch-agent.ts'
import { takeHandoff } from './take-handoff.ts'
import { takeTurn } from './take-turn.ts'

interface ChatCommand {
  /** What it takes, as the help shows it. */
  readonly takes?: string
  readonly brief: string
  run(chat: Chat, rest: string): void | Promise<void>
}

const table: { readonly [name: string]: ChatCommand } = {
  help: { brief: 'list the commands', run: (chat) => chat.output.note(helpText(promptRows(chat))) },
  agents: { brief: 'list the agents you can chat with', run: showAgents },
  agent: { takes: 'NAME', brief: 'switch to another agent; same as @NAME', run: changeAgent },
  handoff: {
    takes: '[N] [fill|send]',
    brief: 'accept a handoff; fill: edit its message first, send: send it as it is',
    run: handOver,
  },
  history: { brief: 'show the conversation so far', run: showHistory },
  sessions: { brief: 'list recent conversations', run: showSessions },
  resume: { takes: '[ID]', brief: 'resume this conversation where it stopped, or another one', run: resume },
  new: { brief: 'start a new conversation with the same agent', run: beginAnew },
  model: { takes: 'NAME', brief: 'switch to another model', run: changeModel },
  tree: { brief: 'show the sessions of the last turn', run: showTurnTree },
  quit: {
    brief: 'exit; same as Ctrl-D',
    run(chat) {
      chat.isLeft = true
    },
  },
}

export const commandNames: readonly string[] = Object.keys(table)

export async function runCommand(chat: Chat, name: string, rest: string): Promise<void> {
  const command = Object.hasOwn(table, name) ? table[name] : undefined
  if (command !== undefined) return command.run(chat, rest)
  if (await runPromptFile(chat, name, rest)) return
  const hint = didYouMean(name, commandNames) || '.'
  throw new CadreError(
    'usage',
    `unknown command /${name}${hint} List the commands with /help. To send a message that starts with a slash, type //.`,
  )
}

function helpText(prompts: readonly [string, string][]): string {
  const rows = [
    ...Object.entries(table).map(([name, { takes, brief }]) => [
      `/${name}${takes === undefined ? '' : ` ${takes}`}`,
      brief,
    ]),
    ...prompts.map(([what, brief]) => [cleanLine(what), cleanLine(brief).slice(0, 200)]),
    ['@NAME …', 'switch to that agent; it sees the conversation so far'],
    ['1, 2, …', 'accept the handoff with this number'],
  ] as [string, string][]
  const width = Math.max(...rows.map(([what]) => what.length)) + 2
  return `${rows.map(([what, brief]) => `  ${what.padEnd(width)}${brief}`).join('\n')}

End a line with \\ to continue on the next line. Pasted text is one message. Ctrl-C stops the running agents.
Type // to send a message that starts with a slash, \\@ for one that starts with an @. A message that starts with a space
is not added to the history of the arrow keys.`
}

function showAgents({ runtime, output }: Chat): void {
  const agents = [...runtime.agents.list(), assistant].filter(
    (agent, index, all) =>
      agent.userInvocable !== false && all.findIndex(({ name }) => name === agent.name) === index,
  )
  const rows = agents.map(({ name, description }) => [cleanLine(name), cleanLine(description).slice(0, 300)])
  const data = agents.map(({ name, description }) => ({ name, description }))
  output.note(textTable(['AGENT', 'DOES'], rows).trimEnd(), { type: 'agents', agents: data })
}

function changeAgent(chat: Chat, name: string): void {
  if (name !== '') switchAgent(chat, name.replace(/^@?"?|"$/g, ''))
  chat.output.note(talksTo(chat.conversation))
}

async function handOver(chat: Chat, rest: string): Promise<void> {
  const { conversation, output, drive, runtime } = chat
  const words = rest.toLowerCase().split(/\s+/).filter(Boolean)
  const how = words.find((word) => word === 'fill' || word === 'send') as 'fill' | 'send' | undefined
  const number = words.find((word) => word !== how)
  if (number === undefined && (how === undefined || conversation.handoffs.length !== 1)) {
    const lines = offer(conversation.handoffs, drive.style, namesOf(runtime))
    const text = lines.length === 0 ? 'No handoff is available.' : lines.slice(1).join('\n')
    return output.note(text, { type: 'handoffs', handoffs: conversation.handoffs })
  }
  if (number !== undefined && !/^\d{1,9}$/.test(number))
    throw new CadreError('usage', `/handoff takes a number and fill or send, not ${JSON.stringify(number)}.`)
  await takeHandoff(chat, Number(number ?? 1), how)
}

async function showHistory({ conversation, runtime, output, drive }: Chat): Promise<void> {
  const messages =
    conversation.session === undefined ? [] : contextOf(await runtime.read(conversation.session))
  const said = messages.length === 0 ? 'No messages yet.' : conversationText(messages, drive.style)
  output.note(said, { type: 'history', messages })
}

async function showSessions({ runtime, output }: Chat): Promise<void> {
  const recent = (await runtime.list()).filter(({ parent }) => parent === undefined).slice(0, 10)
  const rows = recent.map(({ id, agent, status, outcome, updated }) =>
    [id, agent, outcome ?? status, localTime(updated)].map(cleanLine),
  )
  const text =
    rows.length === 0 ? 'No conversations yet.' : textTable(['SESSION', 'AGENT', 'STATUS', 'UPDATED'], rows)
  output.note(text.trimEnd(), { type: 'sessions', sessions: recent })
}

async function resume(chat: Chat, wanted: string): Promise<void> {
  const { conversation, runtime, output } = chat
  if (wanted !== '' || conversation.session === undefined) {
    const stored = await runtime.read(
      wanted === '' ? await newestConversation(runtime) : await runtime.find(wanted),
    )
    refuseOwned(runtime, stored)
    chat.check(stored)
    conversation.takeUp(stored)
    chat.seen.view = emptyView()
    return showLast(chat, stored)
  }
  const stored = await runtime.read(conversation.session)
  if (!isUnfinished(stored)) return output.note('The last turn is complete. Type your next message.')
  await takeTurn(chat, (signal) => conversation.goOn(signal))
}

function beginAnew({ conversation, output, seen }: Chat): void {
  conversation.forget()
  seen.view = emptyView()
  output.note(`New conversation. ${talksTo(conversation)}`)
}

async function changeModel({ conversation, runtime, output }: Chat, name: string): Promise<void> {
  if (name === '')
    throw new CadreError('usage', '/model requires the name of a model, for example /model openai:NAME')
  const found = await runtime.models.resolve(name)
  if (found.kind === 'unknown') throw new CadreError(found.code ?? 'unknown_model', found.reason)
  conversation.chooseModel(found.model.id)
  output.note(`Switched to ${cleanLine(found.model.id)}.`)
}
