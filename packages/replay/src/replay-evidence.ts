import type { Evidence } from '@cadre/gate'
import type { ReplayScheduler } from './replay-scheduler.ts'

/** In a run, Cadre reads the artifact's file to check its sections. A replay uses the recorded decision instead. */
export function replayEvidence(stage: () => ReplayScheduler): Evidence {
  return {
    // Every session starts with this moment, before its first step.
    onLifecycleEvent(moment, { id }, signal) {
      const live = stage().live(id)
      if (moment.kind === 'session.started' && live !== undefined) live.signal = signal
      return undefined
    },
    reviewer(_review, { id }) {
      const live = stage().live(id)
      const next = live?.lane.own.get(live.rounds)?.[live.own]
      if (live === undefined || next?.nudge !== 'sections' || !next.content.startsWith('The artifact '))
        return { kind: 'accept' }
      return { kind: 'return', reason: stage().text(live, next.content), by: 'sections' }
    },
  }
}
