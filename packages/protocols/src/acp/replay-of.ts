import { type CadreEvent, eventsOf } from '@cadre/core'
import type { Sessions } from '@cadre/runtime'

/** The events of a session and of everything below it, in the order in which they happened. */
export async function replayOf(sessions: Pick<Sessions, 'tree'>, root: string): Promise<CadreEvent[]> {
  const events: CadreEvent[] = []
  for await (const stored of sessions.tree(root)) events.push(...eventsOf(stored))
  // The sort is stable: of the events of one instant, those of a parent come first.
  return events.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}
