import { chmodSync, lstatSync, type Stats } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { ProtectedChange } from './undo-changes.ts'

const maxEntries = 20_000
const setIds = 0o6000

/**
 * Clears the set-user-ID and set-group-ID bits of files that a command has changed since `began`, in milliseconds. For
 * commands without the seccomp filter. Checks a limited number of workspace files, upper folders first.
 */
export async function removeSetIds(root: string, began: number): Promise<ProtectedChange[]> {
  const changes: ProtectedChange[] = []
  let seen = 0
  for (let level = [root]; level.length > 0; ) {
    const next: string[] = []
    for (const folder of level) {
      for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
        if (++seen > maxEntries) return changes
        const place = path.join(folder, entry.name)
        if (entry.isDirectory()) next.push(place)
        else if (entry.isFile()) {
          const stats = statsAt(place)
          // Some file systems store times in whole seconds, so `ctime` can be up to one second too early.
          if (stats === undefined || (stats.mode & setIds) === 0 || stats.ctimeMs < began - 1_000) continue
          changes.push({ path: place, what: 'changed', undone: clear(place, stats.mode) })
        }
      }
    }
    level = next
  }
  return changes
}

function clear(place: string, mode: number): boolean {
  try {
    chmodSync(place, mode & 0o777)
    return true
  } catch {
    return false
  }
}

function statsAt(place: string): Stats | undefined {
  return lstatSync(place, { throwIfNoEntry: false })
}
