import { type Dirent, readdirSync, type Stats } from 'node:fs'
import path from 'node:path'
import { isSameStamp as isSame, realPathIfExists, type Stamp, stampOf, statsAt } from '@cadre/disk'
import { type AgentFolder, type AgentPaths, listAgentFolders } from './agent-paths.ts'

export interface FoundFile {
  readonly path: string
  /** The real path: a file that is found twice counts once. */
  readonly real: string
  readonly place: AgentFolder
  /** The number of folders between its place and the file. */
  readonly depth: number
  readonly stamp: Stamp
  readonly size: number
}

export interface FoundFiles {
  /** From the lowest level to the highest; within a level, sorted by path. */
  readonly files: readonly FoundFile[]
  /** Every folder that was read, by path, with its entries and state. */
  readonly folders: ReadonlyMap<string, Folder>
  /** Folders that were not searched completely. */
  readonly endless: readonly string[]
  /** Folders that could not be read. */
  readonly unreadable: readonly string[]
  /** Links that point outside the project, which are not followed. */
  readonly outside: readonly string[]
}

/** The entries of a folder when it was read. */
export interface Folder {
  readonly stamp: Stamp
  readonly real: string
  readonly entries: readonly Dirent[]
}

export interface EarlierFolders {
  readonly folders: ReadonlyMap<string, Folder>
  /** When it was read, in milliseconds since 1970. */
  readonly at: number
}

const maxDepth = 8
/** A link can lead to a whole disk. */
const maxEntries = 10_000

/** Finds all agent files. A folder that has not changed since `earlier` is not listed again, but its files are checked. */
export function findAgentFiles(places: AgentPaths, earlier?: EarlierFolders): FoundFiles {
  const found = new Map<string, FoundFile>()
  const folders = new Map<string, Folder>()
  const endless: string[] = []
  const unreadable: string[] = []
  const outside: string[] = []
  for (const place of listAgentFolders(places)) {
    const within = place.within === undefined ? undefined : realPathIfExists(place.within)
    const seen = new Set<string>()
    const search: Search = { place, within, folders, unreadable, outside, earlier, seen, left: maxEntries }
    for (const file of filesAt(search)) {
      const other = found.get(file.real)
      if (other?.place.level === place.level) continue
      // Found again at a higher level, which applies.
      found.delete(file.real)
      found.set(file.real, file)
    }
    if (search.left <= 0) endless.push(place.at)
  }
  return { files: [...found.values()], folders, endless, unreadable, outside }
}

interface Search {
  readonly place: AgentFolder
  readonly folders: Map<string, Folder>
  readonly unreadable: string[]
  readonly outside: string[]
  /** The real path of the folder that links must not lead outside of. */
  readonly within: string | undefined
  readonly earlier: EarlierFolders | undefined
  /** Real paths of searched folders: a link to one of them would loop forever. */
  readonly seen: Set<string>
  left: number
}

function filesAt(search: Search): FoundFile[] {
  const { at, dialect } = search.place
  if (dialect.format !== 'settings') return filesIn(at, search, 0)
  const stats = statsAt(at)
  if (stats?.isFile() !== true || isOutside(at, realPathIfExists(at), search)) return []
  return [fileAt(at, at, stats, search, 0)]
}

function filesIn(folder: string, search: Search, depth: number): FoundFile[] {
  const listed = list(folder, search)
  if (listed === undefined || search.seen.has(listed.real) || depth > maxDepth) return []
  if (isOutside(folder, listed.real, search)) return []
  search.seen.add(listed.real)
  return listed.entries.flatMap((entry) => {
    if (search.left-- <= 0) return []
    const at = path.join(folder, entry.name)
    const real = path.join(listed.real, entry.name)
    if (entry.isDirectory()) return filesIn(at, search, depth + 1)
    const isWanted = search.place.files.test(entry.name)
    if (entry.isSymbolicLink()) return filesBehindLink(at, isWanted, search, depth)
    if (!entry.isFile() || !isWanted) return []
    const stats = statsAt(at)
    return stats?.isFile() === true ? [fileAt(at, real, stats, search, depth)] : []
  })
}

function filesBehindLink(at: string, isWanted: boolean, search: Search, depth: number): FoundFile[] {
  const stats = statsAt(at)
  if (stats?.isDirectory() === true) return filesIn(at, search, depth + 1)
  // A dangling link is listed, so that it is reported. A pipe is not, because reading it would block forever.
  if (!isWanted || (stats !== undefined && !stats.isFile())) return []
  const real = realPathIfExists(at)
  return isOutside(at, real, search) ? [] : [fileAt(at, real ?? at, stats, search, depth)]
}

/** A dangling link points nowhere. */
function isOutside(at: string, real: string | undefined, { within, outside }: Search): boolean {
  if (within === undefined || real === undefined) return false
  if (real === within || real.startsWith(within.endsWith(path.sep) ? within : `${within}${path.sep}`))
    return false
  outside.push(at)
  return true
}

function fileAt(
  at: string,
  real: string,
  stats: Stats | undefined,
  search: Search,
  depth: number,
): FoundFile {
  return { path: at, real, place: search.place, depth, stamp: stampOf(stats), size: stats?.size ?? 0 }
}

function list(at: string, { folders, unreadable, earlier }: Search): Folder | undefined {
  const stats = statsAt(at)
  if (stats?.isDirectory() !== true) return undefined
  const stamp = stampOf(stats)
  const known = earlier?.folders.get(at)
  if (known !== undefined && earlier !== undefined && isSame(known.stamp, earlier.at, stamp)) {
    folders.set(at, known)
    return known
  }
  const real = realPathIfExists(at)
  if (real === undefined) return undefined
  try {
    const entries = readdirSync(at, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    const folder = { stamp, real, entries }
    folders.set(at, folder)
    return folder
  } catch {
    unreadable.push(at)
    return undefined
  }
}
