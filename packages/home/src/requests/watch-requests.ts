import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type FolderWatch, namesIn, readRegular, watchFolder } from '@cadre/disk'
import type { Home } from '../home/open-home.ts'

export interface RequestWatch {
  readonly home: Home
  /**
   * When this process began, in milliseconds since 1970. A request from before was meant for an earlier process, and
   * whoever made it does not wait any more.
   */
  readonly since: number
  /** Cancels the session if it runs here; false when it does not. */
  readonly cancel: (session: string) => boolean
}

const ending = '.cancel'
const slow = 2000

/**
 * Notices requests of other processes in `storage/requests` and carries out those that are about sessions of this one. A
 * request is taken away when it was carried out: that is the answer. Requests about sessions of others are left alone.
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
    // No more files can be opened: the next look finds them.
    return []
  }
}

function timeOf(file: string): number | undefined {
  try {
    const { at } = JSON.parse(readRegular(file).toString('utf8')) as { at?: unknown }
    const time = typeof at === 'string' ? Date.parse(at) : Number.NaN
    return Number.isNaN(time) ? undefined : time
  } catch {
    // Taken away between the look at the folder and this one, or written by something else.
    return undefined
  }
}
