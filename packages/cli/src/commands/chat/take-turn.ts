import { CadreError, emptyView, type RunResult, type View } from '@cadre/core'
import { exitCodeOfError } from '../../exit-codes.ts'
import { attachFiles } from './attach-files.ts'
import type { Chat } from './chat.ts'
import type { TakenHandoff } from './conversation.ts'
import { steerTurn } from './steer.ts'

/** Has the agents work, shows it, and says what came of it. */
export async function takeTurn(chat: Chat, go: (signal: AbortSignal) => Promise<RunResult>): Promise<void> {
  const { drive, output, seen } = chat
  seen.view = emptyView()
  steerTurn(chat)
  const result = await drive
    .during(go)
    .catch((error: unknown) => {
      // Also where a command was to begin the turn.
      if (error instanceof CadreError) chat.code = exitCodeOfError(error.code)
      throw error
    })
    .finally(() => {
      if (chat.screen !== undefined) chat.screen.steering = undefined
    })
  chat.code = await output.ending(result, saidLast(seen.view, result))
  // Ctrl-C at a prompt comes back to it; any other end was not meant for the turn alone.
  if (drive.stoppedBy !== undefined && (!drive.hasPerson || drive.stoppedBy !== 'SIGINT')) chat.isLeft = true
}

/** What the entry agent said last: it is on the screen already. */
function saidLast({ sessions, roots }: View, result: RunResult): string {
  const session = result.kind === 'report' ? result.report.session : (roots[0] ?? '')
  const rounds = sessions.get(session)?.rounds ?? []
  return rounds.findLast(({ reply }) => reply.trim() !== '')?.reply ?? ''
}

/** Sends a message; `line` is how the person wrote it. */
export async function sendMessage(
  chat: Chat,
  text: string,
  line: string,
  taken?: TakenHandoff,
): Promise<void> {
  const { conversation, screen, notes, io } = chat
  // Only a person at a terminal attaches files: lines from elsewhere, and the prompt of a handoff, are not theirs.
  const work =
    screen === undefined || taken !== undefined
      ? { content: text }
      : attachFiles(io, text, conversation.workspace)
  const content = [work.content, ...notes].join('\n\n')
  chat.input.sent(line)
  await takeTurn(chat, (signal) => conversation.say({ ...work, content }, signal, taken))
  notes.length = 0
}
