import { readdirSync } from 'node:fs'
import path from 'node:path'
import { statsAt } from './one-look.ts'
import { type ProtectedRoot, rootsIn } from './protected-roots.ts'

interface Known {
  /** Of the folder when it was read. Absent: it had just changed, and may have changed again without another mark. */
  readonly mark: string | undefined
  readonly roots: readonly ProtectedRoot[]
}

const known = new Map<string, Known>()
/** Longer than any file system's clock takes from one tick to the next. */
const tick = 2_500

/**
 * The protected places of a folder that can be there: those whose first name is. The folder is read again only when something
 * was added to it or removed.
 */
export function ownRootsIn(folder: string): readonly ProtectedRoot[] {
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
    // What cannot be read is taken to be there.
    return rootsIn(folder).map(({ path: place }) => firstOf(place, folder).toLowerCase())
  }
}
