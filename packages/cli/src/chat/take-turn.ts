import { emptyView, type RunResult } from '@cadre/core'
import type { Chat } from './chat.ts'
import type { TakenHandoff } from './conversation.ts'

/** Has the agents work, shows it, and says what came of it. */
export async function takeTurn(chat: Chat, go: (signal: AbortSignal) => Promise<RunResult>): Promise<void> {
  const { drive, output, seen } = chat
  seen.view = emptyView()
  const result = await drive.during(go)
  chat.code = await output.ending(result)
  // Ctrl-C at a prompt comes back to it; any other end was not meant for the turn alone.
  if (drive.stoppedBy !== undefined && (!drive.hasPerson || drive.stoppedBy !== 'SIGINT')) chat.isLeft = true
}

/** Sends a message; `line` is how the person wrote it. */
export async function sendMessage(
  chat: Chat,
  text: string,
  line: string,
  taken?: TakenHandoff,
): Promise<void> {
  chat.input.sent(line)
  await takeTurn(chat, (signal) => chat.conversation.say(text, signal, taken))
}
