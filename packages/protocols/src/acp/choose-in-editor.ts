import { fencedText } from '@cadre/core'
import type { PermissionOption } from './acp-types.ts'
import { textContent } from './card-content.ts'
import type { Editor } from './editor.ts'

export interface Choice {
  readonly title: string
  /** Everything that the person needs in order to decide. Shown as data. */
  readonly text: string
  readonly options: readonly PermissionOption[]
  readonly sessionId: string
  /** The id of a new card. */
  readonly toolCallId: string
}

/** Asks the person one of Cadre's own questions, in a separate card. Undefined if the editor closes it without an answer. */
export async function chooseInEditor(
  { title, text, options, sessionId, toolCallId }: Choice,
  editor: Editor,
  signal: AbortSignal,
): Promise<string | undefined> {
  const content = [textContent(fencedText(text))]
  const card = { toolCallId, title, kind: 'other', status: 'pending', content } as const
  editor.update(sessionId, { sessionUpdate: 'tool_call', ...card, content })
  const close = (isAgreed: boolean) =>
    editor.update(sessionId, {
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: isAgreed ? 'completed' : 'failed',
    })
  try {
    const { outcome } = await editor.requestPermission(
      { sessionId, toolCall: { ...card, content }, options: [...options] },
      signal,
    )
    const chosen = options.find(
      ({ optionId }) => outcome.outcome === 'selected' && optionId === outcome.optionId,
    )
    close(chosen?.kind.startsWith('allow') ?? false)
    return chosen?.optionId
  } catch (error) {
    close(false)
    throw error
  }
}
