import { chooseInEditor } from './choose-in-editor.ts'
import type { Editor } from './editor.ts'

export interface Confirmation {
  readonly question: string
  /** A complete description of what would happen. */
  readonly text: string
  readonly sessionId: string
  /** The id of the card. */
  readonly toolCallId: string
}

/** Asks the person to confirm an action that no agent requested. */
export async function confirmInEditor(
  { question, text, sessionId, toolCallId }: Confirmation,
  editor: Editor,
  signal: AbortSignal,
): Promise<boolean> {
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ] as const
  const choice = { title: question, text, options, sessionId, toolCallId }
  return (await chooseInEditor(choice, editor, signal)) === 'yes'
}
