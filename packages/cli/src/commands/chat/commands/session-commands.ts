import { CadreError, emptyView, handoffHistory } from '@cadre/core'
import { rejectIfRunning } from '@cadre/runtime'
import { cleanLine } from '../../../output/clean-text.ts'
import { conversationText } from '../../../output/conversation-text.ts'
import { localTime } from '../../../output/local-time.ts'
import { availableWidth, textTable } from '../../../output/text-table.ts'
import { titleOf } from '../../../output/title-of.ts'
import type { Chat } from '../chat.ts'
import type { ChatCommand } from '../chat-commands.ts'
import { isUnfinished, newestConversation, showLastMessage } from '../find-conversation.ts'
import { runTurn, runWithProgress } from '../run-turn.ts'
import { showTurnTree } from '../show-turn-tree.ts'
import { switchMessage } from '../switch-agent.ts'

export const sessionCommands: readonly ChatCommand[] = [
  { name: 'history', about: 'show the conversation so far', run: showHistory },
  { name: 'sessions', about: 'list recent conversations', run: showSessions },
  {
    name: 'resume',
    argument: '[ID]',
    about: 'resume this conversation where it stopped, or another one',
    run: resume,
  },
  { name: 'new', about: 'start a new conversation with the same agent', run: startNewConversation },
  { name: 'clear', about: 'start a new conversation and clear the screen', run: clear },
  { name: 'compact', about: 'summarise older rounds, so that requests get shorter', run: compact },
  { name: 'tree', about: 'show the sessions in the last turn', run: showTurnTree },
]

async function showHistory({ conversation, runtime, output, drive }: Chat): Promise<void> {
  const messages =
    conversation.session === undefined ? [] : handoffHistory(await runtime.read(conversation.session))
  const said = messages.length === 0 ? 'No messages yet.' : conversationText(messages, drive.style)
  output.note(said, { type: 'history', messages })
}

async function showSessions({ runtime, output, drive }: Chat): Promise<void> {
  const recent = (await runtime.list()).filter(({ parent }) => parent === undefined).slice(0, 10)
  const rows = recent.map(({ id, agent, status, outcome, updated, work }) =>
    [id, titleOf(work), agent, outcome ?? status, localTime(updated)].map(cleanLine),
  )
  const text =
    rows.length === 0
      ? 'No conversations yet.'
      : textTable(['SESSION', 'TITLE', 'AGENT', 'STATUS', 'UPDATED'], rows, availableWidth(drive.stdout))
  output.note(text.trimEnd(), { type: 'sessions', sessions: recent })
}

async function resume(chat: Chat, wanted: string): Promise<void> {
  const { conversation, runtime, output } = chat
  if (wanted !== '' || conversation.session === undefined) {
    const stored = await runtime.read(
      wanted === '' ? await newestConversation(runtime) : await runtime.find(wanted),
    )
    await rejectIfRunning(runtime, stored)
    chat.check(stored)
    conversation.takeUp(stored)
    chat.seen.view = emptyView()
    chat.status.takeUp(stored)
    return showLastMessage(chat, stored)
  }
  const stored = await runtime.read(conversation.session)
  if (!isUnfinished(stored)) return output.note('The last turn is complete. Type your next message.')
  await runTurn(chat, (signal) => conversation.continue(signal))
}

function startNewConversation({ conversation, output, seen, status }: Chat): void {
  conversation.forget()
  status.forget()
  seen.view = emptyView()
  output.note(`New conversation. ${switchMessage(conversation)}`)
}

function clear(chat: Chat): void {
  if (chat.screen !== undefined) chat.drive.stdout.write('\x1b[H\x1b[2J\x1b[3J')
  startNewConversation(chat)
}

async function compact(chat: Chat): Promise<void> {
  const { conversation, runtime, output, screen } = chat
  const { session } = conversation
  if (session === undefined) throw new CadreError('usage', 'there is no conversation to summarise yet.')
  if (screen !== undefined) output.note('Summarising…')
  const { isDone, isStopped } = await runWithProgress(chat, false, async (signal) => ({
    isDone: await runtime.orchestrator.compact(session, signal),
    isStopped: signal.aborted,
  }))
  const text = isDone
    ? 'Older rounds were summarised. The session file keeps them.'
    : isStopped
      ? 'Stopped. Nothing was summarised.'
      : 'There is nothing to summarise: the conversation is too short.'
  output.note(text, { type: 'compacted', session, compacted: isDone })
}
