import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type FolderWatch, namesIn, readRegularFile, watchFolder } from '@cadre/disk'
import type { Home } from '../home/home.ts'

export interface RequestWatch {
  readonly home: Home
  /**
   * When this process started, in milliseconds since 1970. An older request was for an earlier process, and its sender no longer waits.
   */
  readonly since: number
  /** Cancels the session. Returns false if it does not run in this process. */
  readonly cancel: (session: string) => boolean
}

const ending = '.cancel'
const slow = 2000

/**
 * Watches `storage/requests` for requests of other processes, and carries out those for sessions of this process. Removing a request file
 * is the answer. Ignores requests for other sessions.
 */
export function watchRequests({ home, since, cancel }: RequestWatch): FolderWatch {
  const folder = home.folder('storage', 'requests')
  const look = () => {
    for (const name of requestsIn(folder)) {
      if (!name.endsWith(ending) || name.startsWith('.')) continue
      const file = join(folder, name)
      const at = timeOf(file)
      if (at === undefined || at < since) continue
      if (cancel(name.slice(0, -ending.length))) rmSync(file, { force: true })
    }
  }
  const watch = watchFolder(folder, look, { every: slow, persistent: false })
  look()
  return watch
}

function requestsIn(folder: string): readonly string[] {
  try {
    return namesIn(folder)
  } catch {
    // Out of file descriptors. The next check finds the requests.
    return []
  }
}

function timeOf(file: string): number | undefined {
  try {
    const { at } = JSON.parse(readRegularFile(file).toString('utf8')) as { at?: unknown }
    const time = typeof at === 'string' ? Date.parse(at) : Number.NaN
    return Number.isNaN(time) ? undefined : time
  } catch {
    // Removed since the folder was listed, or not a request.
    return undefined
  }
}
