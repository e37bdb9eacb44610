import path from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { entryAt } from '@cadre/disk'
import type { FolderLists } from './folder-lists.ts'
import { folderStats, type PathStats, toPathStats } from './path-stats.ts'

export interface ScanRequest {
  /** The folder, with links resolved. */
  readonly top: string
  /** A folder in it that is never part of it: the home. */
  readonly without: string
  /** What git ignores, relative to the folder. Folders end in `/`. */
  readonly ignored: readonly string[]
  /** True if the folder is not in a repository, so that no ignore rules are known. */
  readonly isUnversioned: boolean
  readonly limits: ScanLimits
  readonly lists: FolderLists
  /** Returns the last check of a file that certainly has not changed since, so that it can be skipped. */
  readonly unchanged: (name: string) => PathStats | undefined
}

export interface ScanLimits {
  /** The maximum number of files in the whole folder. */
  readonly files: number
  /** The maximum number of files in one ignored folder or nested repository. A larger one is not covered. */
  readonly filesApart: number
}

export interface Scan {
  /** Everything that was found, by its path with `/`. */
  readonly found: ReadonlyMap<string, PathStats>
  /** Folders that are not covered, each with a trailing `/`. */
  readonly uncovered: readonly string[]
}

/** Folders that tools can regenerate. They are not covered if git ignores them, or without git. */
const regeneratedFolders = new Set(
  (
    'node_modules bower_components .venv venv __pycache__ .tox .mypy_cache .pytest_cache .ruff_cache target .gradle ' +
    '.terraform .next .nuxt .turbo .parcel-cache .cache DerivedData Pods'
  ).split(' '),
)

/** Lists files, links and folders in a folder. Follows no links, and skips git folders and the home. */
export async function scanFolder({
  top,
  without,
  ignored,
  isUnversioned,
  limits,
  lists,
  unchanged,
}: ScanRequest): Promise<Scan> {
  const apart = new Set(ignored.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1)))
  const left = path.relative(top, without).split(path.sep).join('/')
  const found = new Map<string, PathStats>()
  const uncovered: string[] = []
  if (!(await walk('', found, limits.files, false)))
    throw new Error(`the folder has more than ${limits.files} files`)
  return { found, uncovered: uncovered.sort() }

  /** Resolves with false if there are too many. `isApart`: inside an ignored folder or a nested repository. */
  async function walk(
    start: string,
    into: Map<string, PathStats>,
    max: number,
    isApart: boolean,
  ): Promise<boolean> {
    const waiting = [start]
    for (let at = waiting.pop(), seen = 1; at !== undefined; at = waiting.pop(), seen++) {
      if (seen % 100 === 0) await breathe()
      const entries = lists.entriesOf(top, at)
      if (at !== start && !isApart && entries.some(({ name }) => name === '.git')) {
        into.delete(at)
        await walkApart(at)
        continue
      }
      for (const entry of entries) {
        const { path: name, isFolder } = entry
        if (entry.name === '.git' || name === left) continue
        if (isFolder && isApart && regeneratedFolders.has(entry.name)) uncovered.push(`${name}/`)
        else if (isUnreadableName(entry.name)) uncovered.push(name)
        else if (
          isFolder &&
          !isApart &&
          (apart.has(name) || (isUnversioned && regeneratedFolders.has(entry.name)))
        )
          await walkApart(name)
        else {
          if (isFolder) waiting.push(name)
          const look = isFolder ? folderStats : (unchanged(name) ?? readNow(`${top}/${name}`))
          if (look !== undefined) into.set(name, look)
        }
      }
      if (into.size > max) return false
    }
    return true
  }

  /** An ignored folder or a nested repository: all of it or nothing. */
  async function walkApart(name: string): Promise<void> {
    const inside = new Map<string, PathStats>([[name, folderStats]])
    const isSmall =
      !regeneratedFolders.has(path.posix.basename(name)) &&
      (await walk(name, inside, limits.filesApart, true))
    if (!isSmall) uncovered.push(`${name}/`)
    else for (const [file, look] of inside) found.set(file, look)
  }
}

function readNow(place: string): PathStats | undefined {
  const stats = entryAt(place)
  return stats && toPathStats(stats)
}

/** A name that is not valid text, which Node cannot represent. */
function isUnreadableName(name: string): boolean {
  return name.includes('\ufffd')
}
