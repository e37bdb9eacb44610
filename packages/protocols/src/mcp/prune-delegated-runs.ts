import { isEndedStatus } from '@cadre/core'
import { idleStateOf, type Sessions } from '@cadre/runtime'
import { maxStoredRuns, retentionDays } from './delegated-run.ts'
import type { DelegatedRunFiles } from './delegated-run-files.ts'

export interface PruneOptions {
  readonly files: DelegatedRunFiles
  readonly sessions: Sessions
  readonly isRunning: (id: string) => boolean
}

const dayMs = 24 * 60 * 60 * 1000
/** How many runs are removed at once, so that the call that prunes stays fast. */
const maxPruned = 20

/**
 * Removes the files of runs that have ended or never began, and are old or too many. Their session files stay. Never removes those of a
 * run that is running, or that waits for a person.
 */
export async function pruneDelegatedRuns({ files, sessions, isRunning }: PruneOptions): Promise<void> {
  const all = files.byAge()
  const excess = all.length - maxStoredRuns
  const limit = Date.now() - retentionDays * dayMs
  const old = all.filter(({ written }, at) => at < excess || written < limit)
  if (old.length === 0) return
  // From the headers only: there can be many runs that wait, and reading all of them takes long.
  const statuses = new Map((await sessions.list()).map(({ id, status }) => [id, status]))
  let pruned = 0
  for (const { id } of old) {
    const status = statuses.get(id)
    const mayBeOver = status === undefined || isEndedStatus(status)
    if (!mayBeOver || isRunning(id) || !(await isOver(id, sessions))) continue
    files.remove(id)
    pruned += 1
    if (pruned === maxPruned) return
  }
}

function isOver(id: string, { engine }: Sessions): Promise<boolean> {
  return engine.read(id).then(
    (stored) => stored === undefined || idleStateOf(stored).kind === 'ended',
    () => false,
  )
}
