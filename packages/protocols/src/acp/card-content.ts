import { fencedText } from '@cadre/core'
import { shownLine } from '@cadre/gate'
import type { DocumentChange } from '@cadre/tools'
import type { ToolCallContent } from './acp-types.ts'
import type { CallCard } from './describe-call.ts'
import { truncateText } from './limit-json.ts'

/** The maximum length of a text in a card, and of the texts in a diff. */
export const maxContent = 20_000
const maxDiff = 1_000_000

/** The content of a completed call's card: its changes to files, or its result. */
export function callContent(
  {
    card,
    changes,
  }: { readonly card: Pick<CallCard, 'isDelegation'>; readonly changes: readonly DocumentChange[] },
  content: string,
  isDone: boolean,
): ToolCallContent[] {
  if (isDone && changes.length > 0) return changes.map(diffOf)
  const text = truncateText(content, maxContent)
  // A report is an agent's Markdown. Everything else is data, which editors must not render.
  return text === '' ? [] : [textContent(card.isDelegation ? text : fencedText(text))]
}

export function diffOf({
  path,
  before,
  after,
}: Pick<DocumentChange, 'path' | 'before' | 'after'>): ToolCallContent {
  if ((before?.length ?? 0) + (after?.length ?? 0) > maxDiff)
    return textContent(`${shownLine(path)}: the change is too large to show.`)
  return { type: 'diff', path, oldText: before, newText: after ?? '' }
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } }
}
