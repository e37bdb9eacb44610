import type { Home } from '../home/home.ts'
import { runningProcess } from './running-process.ts'

/** The name of the daemon's lease. No session can have it. */
export const daemonLeaseName = '.daemon'

/** Returns whether a daemon is running for this home, so that tasks start and messages are delivered. */
export function isDaemonRunning(home: Home): boolean {
  return runningProcess(home, daemonLeaseName) !== undefined
}
