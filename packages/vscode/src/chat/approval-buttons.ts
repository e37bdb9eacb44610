import { isInterruptedCallQuestion } from '../views/targets.ts'
import type { ChatStream } from './chat-stream.ts'

/** The buttons of a question. Their commands take `{ session, question }`. */
export function approvalButtons(
  chat: Pick<ChatStream, 'button'>,
  asked: { readonly session: string; readonly question: string; readonly choices: readonly string[] },
): void {
  const { session, question, choices } = asked
  const argument = { session, question }
  if (isInterruptedCallQuestion(argument)) {
    chat.button('Report What Happened…', 'copilotMultiAgent.answerInterrupted', argument)
    return
  }
  chat.button('Approve', 'copilotMultiAgent.approve', argument)
  if (choices.some((choice) => choice.startsWith('approve') && choice !== 'approve'))
    chat.button('Approve for This Session', 'copilotMultiAgent.approveSession', argument)
  chat.button('Reject', 'copilotMultiAgent.reject', argument)
}
