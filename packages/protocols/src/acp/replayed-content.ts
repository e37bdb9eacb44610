import path from 'node:path'
import { type CadreEvent, fencedText } from '@cadre/core'
import { shownLine } from '@cadre/gate'
import { type RecordedChange, recordedChanges } from '@cadre/tools'
import type { ToolCallContent } from './acp-types.ts'
import { diffOf, maxContent, textContent } from './card-content.ts'
import { truncateText } from './limit-json.ts'

/** The content of cards by `SESSION/CALL`, for earlier calls that changed files. */
export type ReplayedContent = ReadonlyMap<string, readonly ToolCallContent[]>

/**
 * Returns the file changes by earlier calls, from the journal. A diff contains the replaced text, not the whole file. If the journal does not
 * contain the earlier text, the card shows a note.
 */
export async function replayedContent(
  events: readonly CadreEvent[],
  workspace: string,
): Promise<ReplayedContent> {
  const calls = new Map<string, { readonly spelling: string; readonly arguments: string }>()
  const contents = new Map<string, readonly ToolCallContent[]>()
  for (const event of events) {
    const keyOf = (call: string) => `${event.session}/${call}`
    if (event.type === 'reply.received')
      for (const { id, name, input } of event.calls)
        calls.set(keyOf(id), { spelling: name, arguments: input })
    // A hook may have changed the arguments.
    if (event.type === 'call.judged')
      calls.set(keyOf(event.call), { spelling: event.tool, arguments: event.input })
    if (event.type !== 'call.settled' || event.outcome !== 'done') continue
    const call = calls.get(keyOf(event.call))
    const changes = call && (await recordedChanges({ ...call, result: event.content }))
    if (changes !== undefined)
      contents.set(
        keyOf(event.call),
        changes.flatMap((change) => contentOf(change, workspace)),
      )
  }
  return contents
}

function contentOf(change: RecordedChange, workspace: string): ToolCallContent[] {
  const file = path.resolve(workspace, change.path)
  const shown = shownLine(change.path)
  switch (change.kind) {
    case 'part':
      return [diffOf({ path: file, before: change.before, after: change.after })]
    case 'created':
      return [diffOf({ path: file, before: null, after: change.after })]
    case 'replaced':
      return [
        textContent(
          `Replaced the whole text of ${shown}. The session does not contain the earlier text. New text:`,
        ),
        textContent(fencedText(truncateText(change.after, maxContent))),
      ]
    case 'deleted':
      return [textContent(`Deleted ${shown}. The session does not contain the deleted text.`)]
    case 'moved':
      return [textContent(`Moved ${shown} to ${shownLine(change.to)}.`)]
  }
}
