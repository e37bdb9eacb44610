import type { UserDraft } from '../ports/entry.ts'
import type { SessionSpec, Work } from '../ports/session-spec.ts'

/** The entry of a piece of work. The header already names the person who started the run, so the entry names only others. */
export function userDraftOf({ startedBy }: Pick<SessionSpec, 'startedBy'>, work: Work): UserDraft {
  const { by = [], ...rest } = work
  const others = [...new Set(by)].filter((name) => name !== startedBy)
  return { role: 'user', ...rest, ...(others.length > 0 && { by: others }) }
}
