import { type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'
import { CadreError } from '@cadre/core'
import { entriesIn, entryAt } from '@cadre/disk'

export interface ScanRequest {
  /** The folder, with links resolved. */
  readonly top: string
  /** A folder in it that is never part of it: the home. */
  readonly without: string
  /** What git ignores, relative to the folder. Folders end in `/`. */
  readonly ignored: readonly string[]
  readonly limits: ScanLimits
}

export interface ScanLimits {
  /** Files in the whole folder. */
  readonly files: number
  /** Files in one ignored folder, or in one repository below the folder. A larger one is not covered. */
  readonly filesApart: number
}

export interface Scan {
  /** Everything that was found, by its path in the folder with `/`. */
  readonly found: ReadonlyMap<string, Stats>
  /** Folders that are not covered, each with a `/` at its end. */
  readonly uncovered: readonly string[]
}

/** Folders that tools fill and can fill again. They are not covered if git ignores them, however small they are. */
const refilled = new Set(
  (
    'node_modules bower_components .venv venv __pycache__ .tox .mypy_cache .pytest_cache .ruff_cache target .gradle ' +
    '.terraform .next .nuxt .turbo .parcel-cache .cache DerivedData Pods'
  ).split(' '),
)

/** Lists a folder: files, links and folders, with what is known of each. Follows no links, and leaves out git folders and the home. */
export async function scanFolder({ top, without, ignored, limits }: ScanRequest): Promise<Scan> {
  const apart = new Set(ignored.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1)))
  const found = new Map<string, Stats>()
  const uncovered: string[] = []
  await walk('', found, limits.files, (name) => {
    if (!apart.has(name) && !isRepository(path.join(top, name))) return true
    return 'apart'
  })
  return { found, uncovered: uncovered.sort() }

  async function walk(
    start: string,
    into: Map<string, Stats>,
    most: number,
    enters: (name: string) => boolean | 'apart',
  ): Promise<boolean> {
    const waiting = [start]
    for (let at = waiting.pop(), seen = 0; at !== undefined; at = waiting.pop()) {
      if (++seen % 100 === 0) await breathe()
      for (const entry of entriesIn(path.join(top, at))) {
        const name = at === '' ? entry.name : `${at}/${entry.name}`
        const place = path.join(top, name)
        if (entry.name === '.git' || place === without) continue
        if (isUnreadableName(entry.name)) {
          uncovered.push(name)
          continue
        }
        if (entry.isDirectory()) {
          const answer = enters(name)
          if (answer === 'apart') {
            await walkApart(name)
            continue
          }
          if (answer) waiting.push(name)
          else uncovered.push(`${name}/`)
          if (!answer) continue
        }
        const stats = entryAt(place)
        if (stats === undefined) continue
        into.set(name, stats)
        if (into.size > most) {
          if (start !== '') return false
          throw new CadreError('usage', `it has more than ${most} files`, { where: top })
        }
      }
    }
    return true
  }

  /** An ignored folder or a repository: all of it or nothing. */
  async function walkApart(name: string): Promise<void> {
    const stats = entryAt(path.join(top, name))
    if (stats === undefined) return
    const inside = new Map<string, Stats>([[name, stats]])
    const isSmall =
      !refilled.has(path.posix.basename(name)) &&
      (await walk(name, inside, limits.filesApart, (below) => !refilled.has(path.posix.basename(below))))
    if (!isSmall) uncovered.push(`${name}/`)
    else for (const [file, its] of inside) found.set(file, its)
  }
}

function isRepository(folder: string): boolean {
  return statSync(path.join(folder, '.git'), { throwIfNoEntry: false }) !== undefined
}

/** A name that is not text: Node cannot name that file. */
function isUnreadableName(name: string): boolean {
  return name.includes('\ufffd')
}
