import type { Evidence } from '@cadre/gate'
import type { Stage } from './stage.ts'

/** Whether an artifact had its sections was decided by a file. The decision is that of the record. */
export function replayEvidence(stage: () => Stage): Evidence {
  return {
    attend: () => undefined,
    reviewer(_review, { id }) {
      const live = stage().live(id)
      const next = live?.lane.own.get(live.rounds)?.[live.own]
      if (live === undefined || next?.nudge !== 'sections' || !next.content.startsWith('The artifact '))
        return { kind: 'accept' }
      return { kind: 'return', reason: stage().text(live, next.content), by: 'sections' }
    },
  }
}
