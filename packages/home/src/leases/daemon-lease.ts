import type { Home } from '../home/open-home.ts'
import { runningProcess } from './running-process.ts'

/** The name of the lease of whoever watches over a home: none that a session could have. */
export const daemonLease = '.daemon'

/** Whether a daemon watches over this home now: then it runs tasks and delivers messages. */
export function isAttended(home: Home): boolean {
  return runningProcess(home, daemonLease) !== undefined
}
