import { fenced, textContent } from './card-content.ts'
import type { Editor } from './editor.ts'

export interface Confirmation {
  readonly question: string
  /** What would happen, in full. */
  readonly text: string
  readonly sessionId: string
  /** The id of the card. */
  readonly toolCallId: string
}

/** Asks the person whether Cadre should do something that no agent asked for. */
export async function confirmInEditor(
  { question, text, sessionId, toolCallId }: Confirmation,
  editor: Editor,
  signal: AbortSignal,
): Promise<boolean> {
  const content = [textContent(fenced(text))]
  const card = { toolCallId, title: question, kind: 'other', status: 'pending', content } as const
  editor.update(sessionId, { sessionUpdate: 'tool_call', ...card, content })
  const close = (isAgreed: boolean) =>
    editor.update(sessionId, {
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: isAgreed ? 'completed' : 'failed',
    })
  try {
    const { outcome } = await editor.requestPermission(
      {
        sessionId,
        toolCall: { ...card, content },
        options: [
          { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
          { optionId: 'no', name: 'No', kind: 'reject_once' },
        ],
      },
      signal,
    )
    const isAgreed = outcome.outcome === 'selected' && outcome.optionId === 'yes'
    close(isAgreed)
    return isAgreed
  } catch (error) {
    close(false)
    throw error
  }
}
