import type { Work } from '@cadre/core'
import type { TeamFiles } from '@cadre/home'
import type { ReplayScheduler } from './replay-scheduler.ts'

/** The same teams as on disk, except that messages arrive at the same points as in the recording. */
export function replayTeams(stage: ReplayScheduler, files: TeamFiles): TeamFiles {
  return {
    ...files,
    unread(session): readonly Work[] {
      const live = stage.live(session)
      const message = live && stage.wakingMessage(live)
      return live === undefined || message === undefined ? [] : [stage.work(live, message.work)]
    },
    received: async () => {},
    serve(lead, listener) {
      const ends = [files.serve(lead, listener), stage.watch(listener)]
      return () => {
        for (const end of ends) end()
      }
    },
  }
}
