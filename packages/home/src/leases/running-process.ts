import { statSync } from 'node:fs'
import { isAlive, type ProcessIdentity, readRegularFile, thisProcess } from '@cadre/disk'
import type { Home } from '../home/home.ts'

/** Returns the process that runs a tree of sessions, or `undefined`. Changes nothing. */
export function runningProcess(home: Home, root: string): ProcessIdentity | undefined {
  const lease = home.at('storage', 'leases', `${root}.lease`)
  let holder: ProcessIdentity
  let heartbeat: number
  try {
    heartbeat = statSync(lease).mtimeMs
    holder = JSON.parse(readRegularFile(lease).toString('utf8')) as ProcessIdentity
  } catch {
    // There is no lease, or it was released during the check.
    return undefined
  }
  const card = statSync(home.at('storage', 'leases', `${holder.token}.process`), { throwIfNoEntry: false })
  return isAlive(holder, thisProcess(), Math.max(heartbeat, card?.mtimeMs ?? 0)) ? holder : undefined
}
