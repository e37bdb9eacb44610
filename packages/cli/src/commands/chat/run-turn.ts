import { CadreError, emptyView, type RunResult, type View } from '@cadre/core'
import type { AcceptedHandoff } from '@cadre/runtime'
import { exitCodeForError } from '../../exit-codes.ts'
import { attachFiles } from './attach-files.ts'
import type { Chat } from './chat.ts'
import { enableSteering } from './enable-steering.ts'
import type { EnteredLine } from './input.ts'

/** Runs a turn, shows it, and prints the result. */
export async function runTurn(chat: Chat, go: (signal: AbortSignal) => Promise<RunResult>): Promise<void> {
  const { drive, output, seen } = chat
  seen.view = emptyView()
  const result = await runWithProgress(chat, true, go).catch((error: unknown) => {
    // Also if a command was to start the turn.
    if (error instanceof CadreError) chat.code = exitCodeForError(error.code)
    throw error
  })
  chat.code = await output.ending(result, lastShownText(seen.view, result))
  // Ctrl-C in a terminal returns to the prompt; any other signal ends the chat.
  if (drive.stoppedBy !== undefined && (!drive.hasPerson || drive.stoppedBy !== 'SIGINT')) chat.isLeft = true
}

/** Shows the progress of `work`. Meanwhile the person can stop it, and type: for its session if it `hears`, otherwise for later. */
export async function runWithProgress<T>(
  chat: Chat,
  hears: boolean,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  enableSteering(chat, hears)
  try {
    return await chat.drive.during(work)
  } finally {
    if (chat.screen !== undefined) chat.screen.steering = undefined
  }
}

/** The entry agent's last text, which is already on the screen. */
function lastShownText({ sessions, roots }: View, result: RunResult): string {
  const session = result.kind === 'report' ? result.report.session : (roots[0] ?? '')
  const rounds = sessions.get(session)?.rounds ?? []
  return rounds.findLast(({ reply }) => reply.trim() !== '')?.reply ?? ''
}

/** Sends a message; `entered` is the original input. */
export async function sendMessage(
  chat: Chat,
  text: string,
  entered: EnteredLine,
  taken?: AcceptedHandoff,
): Promise<void> {
  const { conversation, notes, io, runtime, output, drive } = chat
  const { work, notes: attached } = await attachFiles(text, entered, {
    io,
    orchestrator: runtime.orchestrator,
    agent: taken?.to ?? conversation.agent,
    workspace: conversation.workspace,
  })
  for (const note of attached) output.note(drive.style.dim(note))
  const content = [work.content, ...notes].join('\n\n')
  chat.input.sent(entered.text)
  await runTurn(chat, (signal) => conversation.say({ ...work, content }, signal, taken))
  notes.length = 0
}
