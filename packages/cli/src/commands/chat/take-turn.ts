import { CadreError, emptyView, type RunResult, type View } from '@cadre/core'
import { exitCodeOfError } from '../../exit-codes.ts'
import type { Chat } from './chat.ts'
import type { TakenHandoff } from './conversation.ts'

/** Has the agents work, shows it, and says what came of it. */
export async function takeTurn(chat: Chat, go: (signal: AbortSignal) => Promise<RunResult>): Promise<void> {
  const { drive, output, seen } = chat
  seen.view = emptyView()
  const result = await drive.during(go).catch((error: unknown) => {
    // Also where a command was to begin the turn.
    if (error instanceof CadreError) chat.code = exitCodeOfError(error.code)
    throw error
  })
  chat.code = await output.ending(result, saidLast(seen.view))
  // Ctrl-C at a prompt comes back to it; any other end was not meant for the turn alone.
  if (drive.stoppedBy !== undefined && (!drive.hasPerson || drive.stoppedBy !== 'SIGINT')) chat.isLeft = true
}

/** What the entry agent said before its last calls: it stands on the screen already. */
function saidLast({ sessions, roots }: View): string {
  const rounds = sessions.get(roots[0] ?? '')?.rounds ?? []
  return rounds.findLast(({ reply, toolCalls }) => toolCalls.length > 0 && reply.trim() !== '')?.reply ?? ''
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
