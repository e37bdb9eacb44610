import type { EventDraft } from '../ports/entry.ts'

/** The sessions that a `call.started` event starts: a delegation's, or those of a team. */
export function childrenOfStart({ child, members }: EventDraft): readonly string[] {
  if (child !== undefined) return [child]
  return [...membersOfStart(members).values()]
}

/** Of a `call.started` event of a team: its members' sessions, by name. A person may have edited it. */
export function membersOfStart(members: unknown): Map<string, string> {
  if (typeof members !== 'object' || members === null || Array.isArray(members)) return new Map()
  return new Map(
    Object.entries(members).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  )
}
