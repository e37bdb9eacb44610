import type { Ports } from '@cadre/core'
import type { ReplayScheduler } from './replay-scheduler.ts'

/** Summarises older rounds at the same points as in the recording. */
export function replayContext(stage: ReplayScheduler): NonNullable<Ports['prepareContext']> {
  return (_request, { id }) => {
    const live = stage.live(id)
    const next = live?.lane.compactions[live.compactions]
    return next !== undefined && next.round === live?.rounds ? next.messages : 0
  }
}
