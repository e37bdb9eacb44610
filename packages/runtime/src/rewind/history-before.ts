import { CadreError, type History, handoffHistory, type StoredSession } from '@cadre/core'

/** The conversation before an entry, for a new session that continues from there. Throws if there is no such entry. */
export function historyBefore(stored: StoredSession, seq: number): History {
  const { entries } = stored
  const last = entries.at(-1)?.seq ?? 0
  if (seq > last + 1 || seq < 1)
    throw new CadreError('not_found', `there is no entry ${seq}. The last entry is ${last}.`)
  const before = entries.filter((entry) => entry.seq < seq)
  // Without any message, the conversation would contain only the session's own work.
  if (!before.some(({ role }) => role === 'user' || role === 'assistant')) return []
  return handoffHistory({ ...stored, entries: before })
}
