import type { EventDraft } from '../ports/entry.ts'

/** The sessions that a `call.started` event starts: the child of a delegation, or the members of a team. */
export function startedSessions({ child, members }: EventDraft): readonly string[] {
  if (child !== undefined) return [child]
  return [...startedMembers(members).values()]
}

/** The sessions of the members in a team's `call.started` event, by name. A person may have edited the event. */
export function startedMembers(members: unknown): Map<string, string> {
  if (typeof members !== 'object' || members === null || Array.isArray(members)) return new Map()
  return new Map(
    Object.entries(members).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  )
}
