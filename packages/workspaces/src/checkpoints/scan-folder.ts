import path from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { entryAt } from '@cadre/disk'
import type { FolderLists } from './folder-lists.ts'
import { folderLook, type Look, lookOf } from './look-at.ts'

export interface ScanRequest {
  /** The folder, with links resolved. */
  readonly top: string
  /** A folder in it that is never part of it: the home. */
  readonly without: string
  /** What git ignores, relative to the folder. Folders end in `/`. */
  readonly ignored: readonly string[]
  /** Set if the folder is in no repository, so that nothing says which folders tools refill. */
  readonly isUnversioned: boolean
  readonly limits: ScanLimits
  readonly lists: FolderLists
  /** The last look at a file that surely has not changed since, so that Cadre need not look at it again. */
  readonly unchanged: (name: string) => Look | undefined
}

export interface ScanLimits {
  /** Files in the whole folder. */
  readonly files: number
  /** Files in one ignored folder, or in one repository below the folder. A larger one is not covered. */
  readonly filesApart: number
}

export interface Scan {
  /** Everything that was found, by its path in the folder with `/`. */
  readonly found: ReadonlyMap<string, Look>
  /** Folders that are not covered, each with a `/` at its end. */
  readonly uncovered: readonly string[]
}

/** Folders that tools fill and can fill again. They are not covered if git ignores them, or without git, however small they are. */
const refilled = new Set(
  (
    'node_modules bower_components .venv venv __pycache__ .tox .mypy_cache .pytest_cache .ruff_cache target .gradle ' +
    '.terraform .next .nuxt .turbo .parcel-cache .cache DerivedData Pods'
  ).split(' '),
)

/** Lists a folder: files, links and folders, with what is known of each. Follows no links, and leaves out git folders and the home. */
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
  const found = new Map<string, Look>()
  const uncovered: string[] = []
  if (!(await walk('', found, limits.files, false)))
    throw new Error(`the folder has more than ${limits.files} files`)
  return { found, uncovered: uncovered.sort() }

  /** False if there are too many. `isApart`: in an ignored folder or a repository, where none is entered apart from it. */
  async function walk(
    start: string,
    into: Map<string, Look>,
    most: number,
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
        if (isFolder && isApart && refilled.has(entry.name)) uncovered.push(`${name}/`)
        else if (isUnreadableName(entry.name)) uncovered.push(name)
        else if (isFolder && !isApart && (apart.has(name) || (isUnversioned && refilled.has(entry.name))))
          await walkApart(name)
        else {
          if (isFolder) waiting.push(name)
          const look = isFolder ? folderLook : (unchanged(name) ?? lookNow(`${top}/${name}`))
          if (look !== undefined) into.set(name, look)
        }
      }
      if (into.size > most) return false
    }
    return true
  }

  /** An ignored folder or a repository: all of it or nothing. */
  async function walkApart(name: string): Promise<void> {
    const inside = new Map<string, Look>([[name, folderLook]])
    const isSmall =
      !refilled.has(path.posix.basename(name)) && (await walk(name, inside, limits.filesApart, true))
    if (!isSmall) uncovered.push(`${name}/`)
    else for (const [file, look] of inside) found.set(file, look)
  }
}

function lookNow(place: string): Look | undefined {
  const stats = entryAt(place)
  return stats && lookOf(stats)
}

/** A name that is not text: Node cannot name that file. */
function isUnreadableName(name: string): boolean {
  return name.includes('\ufffd')
}
