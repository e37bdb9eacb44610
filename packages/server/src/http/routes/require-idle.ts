import { setTimeout as pause } from 'node:timers/promises'
import { isEndedStatus, type StoredSession } from '@cadre/core'
import { type Home, runningProcess } from '@cadre/home'
import { HttpProblem } from '../problem.ts'

/** After a run has recorded its end, it takes a moment to release its lease. */
const maxWaitMs = 2_000
const stepMs = 10

/** Throws 409 while a process is running the session's tree. */
export async function requireIdle(
  home: Home,
  { spec: { id, root }, status }: Pick<StoredSession, 'spec' | 'status'>,
): Promise<void> {
  let owner = runningProcess(home, root)
  const isEnding = id === root && isEndedStatus(status)
  for (let waited = 0; owner?.pid === process.pid && isEnding && waited < maxWaitMs; waited += stepMs) {
    await pause(stepMs)
    owner = runningProcess(home, root)
  }
  if (owner === undefined) return
  const who = owner.pid === process.pid ? 'The daemon' : `Process ${owner.pid}`
  throw new HttpProblem(
    409,
    `${who} is running ${id}. Wait until it ends, or stop it with "cadre sessions cancel ${id}".`,
    { code: 'owned' },
  )
}
