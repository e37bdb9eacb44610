import type { Entry } from '../ports/entry.ts'
import type { EarlierRuns } from '../ports/events.ts'
import { addUsage, noUsage, type Usage } from '../ports/report.ts'
import type { SessionSpec } from '../ports/session-spec.ts'

/** What a session's record says about its earlier lives. */
export function earlierRuns(recorded: readonly Entry[], { created }: SessionSpec): EarlierRuns {
  const isEvent = (type: string) => (entry: Entry) => entry.role === 'event' && entry.type === type
  const ends = recorded.filter(isEvent('session.ended')).length
  const sinceEnd = recorded.slice(recorded.findLastIndex(isEvent('session.ended')) + 1)
  const since = ends === 0 ? created : sinceEnd.find(isEvent('session.resumed'))?.timestamp
  if (since === undefined || since === '') return { ends }
  const usage = sinceEnd.reduce<Usage>(
    (sum, entry) => (entry.role === 'assistant' && !entry.earlier ? addUsage(sum, entry.usage) : sum),
    noUsage,
  )
  return { ends, since, usage }
}
