import type { Report, StoredSession } from '@cadre/core'

/** The last report of a session, if nothing was recorded since. */
export function lastReport({ entries }: StoredSession): Report | undefined {
  const end = entries.at(-1)
  if (end?.role !== 'event' || end.type !== 'session.ended') return undefined
  return end['report'] as unknown as Report
}
