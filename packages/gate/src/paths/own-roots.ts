import { readdirSync } from 'node:fs'
import path from 'node:path'
import { type ProtectedRoot, rootsIn } from './protected-roots.ts'
import { statsAt } from './with-lookup-cache.ts'

interface Known {
  /**
   * The modification time of the folder when it was read. Absent if it had just changed, because another change might not
   * alter the time.
   */
  readonly mark: string | undefined
  readonly roots: readonly ProtectedRoot[]
}

const known = new Map<string, Known>()
/** Longer than the timestamp resolution of any file system. */
const tick = 2_500

/**
 * Returns the protected places of a folder whose first name exists. The folder is read again only if an entry was added or
 * removed.
 */
export function protectedRootsIn(folder: string): readonly ProtectedRoot[] {
  const stats = statsAt(folder)
  if (stats === undefined) return []
  const mark = `${stats.dev}:${stats.ino}:${stats.mtimeMs}:${stats.ctimeMs}`
  const before = known.get(folder)
  if (before?.mark === mark) return before.roots
  const names = new Set(namesOf(folder))
  const roots = rootsIn(folder).filter(({ path: place }) => names.has(firstOf(place, folder).toLowerCase()))
  if (known.size > 1_000) known.clear()
  known.set(folder, { mark: Date.now() - stats.mtimeMs > tick ? mark : undefined, roots })
  return roots
}

function firstOf(place: string, folder: string): string {
  return place.slice(folder.endsWith(path.sep) ? folder.length : folder.length + 1).split(path.sep)[0] ?? ''
}

function namesOf(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => name.toLowerCase())
  } catch {
    // If the folder is unreadable, all of them are assumed to exist.
    return rootsIn(folder).map(({ path: place }) => firstOf(place, folder).toLowerCase())
  }
}
