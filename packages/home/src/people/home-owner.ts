import { statSync } from 'node:fs'
import { currentUser, userOf } from '@cadre/disk'
import type { Home } from '../home/home.ts'

export interface HomeOwner {
  /** The name of the system user. */
  readonly user: string
  /** Absent on systems without user ids. */
  readonly uid?: number
}

/** The system user who owns the folder, and the user of this process if it does not exist yet. */
export function homeOwner(home: Home): HomeOwner {
  const own = process.getuid?.()
  if (own === undefined) return { user: currentUser() }
  const uid = statSync(home.path, { throwIfNoEntry: false })?.uid ?? own
  return { user: userOf(uid), uid }
}
