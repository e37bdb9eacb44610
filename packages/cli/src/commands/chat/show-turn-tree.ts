import { applyToView, emptyView, eventsOf, type View } from '@cadre/core'
import { roundLines } from '../../output/round-lines.ts'
import { activityOf } from '../../output/session-text.ts'
import { summaryLine, type TreeOptions } from '../../output/tree-lines.ts'
import type { Chat } from './chat.ts'

/** Shows the sessions of the last turn with their rounds and calls; before the first turn, those of the resumed conversation. */
export async function showTurnTree(chat: Chat): Promise<void> {
  const { output, drive } = chat
  const view = chat.seen.view.sessions.size > 0 ? chat.seen.view : await recordedTree(chat)
  if (view.sessions.size === 0) return output.note('No turns yet.')
  const { isTTY, stream } = drive.stdout
  const options: TreeOptions = {
    columns: isTTY ? stream.columns || 80 : 120,
    rows: Number.MAX_SAFE_INTEGER,
    now: Date.now(),
    style: drive.style,
    isStill: true,
    about: (session) => `${session.id}  ${activityOf(session, view)}`,
  }
  const lines = view.roots.flatMap((root) => roundLines(view, root, options))
  const sessions = [...view.sessions.values()].map(({ id, agent, state, parent, report }) => ({
    id,
    agent,
    state,
    ...(parent && { parent: parent.session }),
    ...(report && { status: report.status }),
  }))
  output.note([...lines, drive.style.dim(summaryLine(view, ''))].join('\n'), { type: 'tree', sessions })
}

async function recordedTree({ runtime, conversation }: Chat): Promise<View> {
  const view = emptyView()
  if (conversation.session === undefined) return view
  for await (const stored of runtime.tree(conversation.session))
    for (const event of eventsOf(stored)) applyToView(view, event)
  return view
}
