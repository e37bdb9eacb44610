import { isEndedStatus, type StoredSession } from '@cadre/core'
import { approvalId } from '@cadre/gate'
import type { Sessions } from '@cadre/runtime'
import type { OpenQuestion } from '../output/surface.ts'

/** All pending questions in the tree below a session. */
export async function openQuestions(sessions: Sessions, root: string): Promise<OpenQuestion[]> {
  const found: OpenQuestion[] = []
  for await (const stored of sessions.tree(root)) found.push(...questionsOf(stored))
  return found
}

function questionsOf({ spec, status, entries }: StoredSession): OpenQuestion[] {
  // An ended session has no pending questions; if it is continued, it asks again.
  if (isEndedStatus(status)) return []
  const open = new Map<string, OpenQuestion>()
  for (const entry of entries) {
    if (entry.role === 'tool_result') {
      for (const question of open.values())
        if (question.call === entry.tool_call_id) open.delete(question.name)
    }
    if (entry.role !== 'event') continue
    const name = String(entry['name'] ?? '')
    if (entry.type === 'person.answered') open.delete(name)
    if (entry.type !== 'person.asked') continue
    const { call } = entry
    const text = String(entry['text'] ?? entry.content ?? '')
    const choices = (entry['choices'] as readonly string[] | undefined) ?? []
    const approval = approvalId(spec.id, name, entry.timestamp)
    open.set(name, {
      session: spec.id,
      name,
      text,
      choices,
      ...(call && { call }),
      approval,
    })
  }
  return [...open.values()]
}
