import { type EventEntry, isPermission, type StoredSession, startedSessions } from '@cadre/core'
import { type Home, homeOwner, readRequesters, unknownRequester } from '@cadre/home'

export interface StartersOptions {
  readonly home: Home
  /** May reject for a journal that cannot be read. */
  readonly read: (session: string) => Promise<StoredSession | undefined>
}

/**
 * Returns everyone who influenced a session's tree: the person who started it, everyone who sent a message to a session in it, and everyone
 * who rejected a call with a reason, because the agent reads the reason. Reads the whole tree, because a message to one session reaches the others in reports. If one of the tree's journals cannot be read, the result
 * contains `unknownRequester`.
 */
export async function startersOf(session: string, { home, read }: StartersOptions): Promise<string[]> {
  const names = new Set<string>()
  const seen = new Set<string>()
  const waiting: { readonly id: string; readonly isNeeded: boolean }[] = [{ id: session, isNeeded: true }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { id, isNeeded } = next
    if (seen.has(id)) continue
    seen.add(id)
    const stored = await read(id).catch(() => 'unreadable' as const)
    // A crash can leave a child without a journal. Nobody influenced such a child.
    if (stored === 'unreadable' || (stored === undefined && isNeeded)) names.add(unknownRequester)
    if (stored === 'unreadable' || stored === undefined) continue
    // An older file does not name the starter, who is most likely the home's owner.
    names.add(stored.spec.startedBy ?? homeOwner(home).user)
    for (const name of [...peopleIn(stored), ...readRequesters(home, 'session', id)]) names.add(name)
    const { root, parent } = stored.spec
    waiting.push(...[root, parent?.session ?? root].map((above) => ({ id: above, isNeeded: true })))
    waiting.push(...childrenIn(stored).map((child) => ({ id: child, isNeeded: false })))
  }
  return [...names]
}

function peopleIn({ spec, entries }: StoredSession): string[] {
  const lists: unknown[] = [spec.work.by]
  for (const entry of entries) {
    if (entry.role === 'user') lists.push(entry.by)
    if (entry.role === 'event' && isReason(entry)) lists.push(entry['by'] ?? unknownRequester)
  }
  return lists.flatMap(namesIn)
}

function isReason({ type, decision, reason }: EventEntry): boolean {
  return (
    type === 'person.answered' &&
    !isPermission(String(decision)) &&
    typeof reason === 'string' &&
    reason !== ''
  )
}

/** A person may have edited the file. A value that is not a list of names may hide someone. */
function namesIn(by: unknown): string[] {
  if (by === undefined) return []
  if (typeof by === 'string') return [by]
  if (!Array.isArray(by)) return [unknownRequester]
  return by.map((name) => (typeof name === 'string' ? name : unknownRequester))
}

function childrenIn({ entries }: StoredSession): string[] {
  return entries.flatMap((entry) =>
    entry.role === 'event' && entry.type === 'call.started' ? startedSessions(entry) : [],
  )
}
