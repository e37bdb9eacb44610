import type { Ports } from '@cadre/core'
import type { Stage } from './stage.ts'

/** Summarises older rounds where the record did. */
export function replayContext(stage: Stage): NonNullable<Ports['prepareContext']> {
  return (_request, { id }) => {
    const live = stage.live(id)
    const next = live?.lane.compactions[live.compactions]
    return next !== undefined && next.round === live?.rounds ? next.messages : 0
  }
}
