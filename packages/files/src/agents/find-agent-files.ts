import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { type AgentFileLoader, loaderFor } from './agent-file-loader.ts'

export interface AgentPlaces {
  /** The home folder; its `templates` are read. */
  readonly home?: string
  /** The project; its `.github/agents` and `.claude/agents` are read. */
  readonly project?: string
  /** The user's own folder; its `.claude/agents` and `.copilot/agents` are read. */
  readonly userHome?: string
}

export interface FoundFile {
  readonly path: string
  /** Where it really is: one file that is reached in two ways is one file. */
  readonly real: string
  readonly loader: AgentFileLoader
  /** What is defined in a higher level is used instead of the same name in a lower one. */
  readonly level: number
  readonly stamp: Stamp
  readonly size: number
}

export interface FoundFiles {
  readonly files: readonly FoundFile[]
  /** Everything that was looked at, with how it was: the same again means that nothing has changed. */
  readonly looked: ReadonlyMap<string, Stamp>
  /** Folders that were not looked through to the end. */
  readonly endless: readonly string[]
}

/** How a file or a folder was: another one after every change. */
export type Stamp = string

const deepest = 8
/** A link can lead to a whole disk. */
const mostEntries = 10_000

/** Every agent file there is, from the lowest level to the highest, in order of path within one. */
export function findAgentFiles(places: AgentPlaces): FoundFiles {
  const found = new Map<string, FoundFile>()
  const looked = new Map<string, Stamp>()
  const endless: string[] = []
  for (const [level, folder] of foldersOf(places).entries()) {
    const search = { level, looked, left: mostEntries }
    for (const file of filesIn(folder, search)) found.set(file.real, file)
    if (search.left <= 0) endless.push(folder)
  }
  const files = [...found.values()].sort((a, b) => a.level - b.level || (a.path < b.path ? -1 : 1))
  return { files, looked, endless }
}

export function stampOf(target: string, stats = statsAt(target)): Stamp {
  if (stats === undefined) return 'missing'
  return `${stats.dev}-${stats.ino}-${stats.size}-${stats.mtimeMs}-${stats.ctimeMs}`
}

function foldersOf({ home, project, userHome }: AgentPlaces): string[] {
  const folders: string[] = []
  if (userHome !== undefined)
    folders.push(path.join(userHome, '.claude/agents'), path.join(userHome, '.copilot/agents'))
  if (project !== undefined)
    folders.push(path.join(project, '.claude/agents'), path.join(project, '.github/agents'))
  if (home !== undefined) folders.push(path.join(home, 'templates'))
  return folders
}

interface Search {
  readonly level: number
  readonly looked: Map<string, Stamp>
  left: number
}

function filesIn(folder: string, search: Search, above: readonly string[] = []): FoundFile[] {
  search.looked.set(folder, stampOf(folder))
  let entries: Dirent[]
  let real: string
  try {
    real = realpathSync(folder)
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
  // A link to a folder above would be walked for ever.
  if (above.includes(real) || above.length > deepest) return []
  return entries.flatMap((entry) => {
    if (search.left-- <= 0) return []
    const at = path.join(folder, entry.name)
    const loader = loaderFor(at.split(path.sep).join('/'))
    if (entry.isDirectory()) return filesIn(at, search, [...above, real])
    if (!entry.isFile() && !entry.isSymbolicLink()) return []
    if (entry.isFile() && loader === undefined) return []
    const stats = statsAt(at)
    if (stats?.isDirectory()) return filesIn(at, search, [...above, real])
    return loader === undefined ? [] : fileAt(at, stats, loader, search)
  })
}

function fileAt(at: string, stats: Stats | undefined, loader: AgentFileLoader, search: Search): FoundFile[] {
  const stamp = stampOf(at, stats)
  const { level } = search
  search.looked.set(at, stamp)
  // A link to nothing is listed, so that somebody learns of it. A pipe is not: reading one waits for ever.
  if (stats === undefined) return [{ path: at, real: at, loader, level, stamp, size: 0 }]
  return stats.isFile() ? [{ path: at, real: realpathSync(at), loader, level, stamp, size: stats.size }] : []
}

function statsAt(at: string): Stats | undefined {
  try {
    return statSync(at)
  } catch {
    return undefined
  }
}
