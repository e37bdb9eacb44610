import { type CadreEvent, eventsOf } from '@cadre/core'
import type { Sessions } from '@cadre/runtime'

/** The events of a session and all sessions below it, in chronological order. */
export async function updatesFromHistory(
  sessions: Pick<Sessions, 'tree'>,
  root: string,
): Promise<CadreEvent[]> {
  const events: CadreEvent[] = []
  for await (const stored of sessions.tree(root)) events.push(...eventsOf(stored))
  // The sort is stable: if events have the same time, the parent's come first.
  return events.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}
