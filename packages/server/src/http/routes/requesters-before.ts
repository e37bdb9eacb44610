import { startersOf } from '@cadre/gate'
import { recordRequesters } from '@cadre/home'
import type { RouteContext } from '../api-context.ts'
import type { Caller } from '../guard/caller.ts'
import { starterOf } from '../guard/voter-of.ts'

/** Everyone who influenced a session, for a new session that continues its conversation. */
export function requestersBefore({ home, sessions }: RouteContext, id: string): Promise<string[]> {
  return startersOf(id, { home, read: (session) => sessions.read(session) })
}

/**
 * Records everyone who influenced a session, and the person who is now changing its journal. Removing an entry does not undo the work done for
 * it, so the entry's author still may not approve.
 */
export async function recordRequestersOf(context: RouteContext, id: string, caller: Caller): Promise<void> {
  const before = await requestersBefore(context, id)
  recordRequesters(context.home, 'session', id, [...before, starterOf(caller)])
}
