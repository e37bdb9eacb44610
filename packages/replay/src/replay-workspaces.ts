import { symlinkSync } from 'node:fs'
import path from 'node:path'
import type { Workspaces } from '@cadre/core'
import type { ReplayScheduler } from './replay-scheduler.ts'

/** A session that had its own workspace works in the shared folder under another name. Nothing is copied or merged. */
export function replayWorkspaces(stage: ReplayScheduler, folder: string): Workspaces {
  let count = 0
  return {
    async prepare({ session, base }) {
      const number = stage.numberOf(session)
      const missing = number && stage.isolationOf(number)
      if (missing && missing.kind === 'missing')
        return { kind: 'impossible', reason: stage.workspaceText(base, missing.reason ?? '') }
      count += 1
      const own = path.join(folder, String(count))
      symlinkSync(base, own)
      return { kind: 'ready', path: own }
    },
    async settle({ id }) {
      const live = stage.live(id)
      const { report } = live?.lane.ends[live.turns] ?? {}
      const { notices = [], status } = report ?? {}
      const notice = notices.find(({ code }) => code === 'workspace')
      if (live === undefined || notice === undefined) return undefined
      const isMissing = status === 'incomplete' && notices.at(-1) === notice
      return { message: stage.text(live, notice.message), ...(isMissing && { isMissing }) }
    },
  }
}
