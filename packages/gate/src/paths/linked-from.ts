import type { Stats } from 'node:fs'
import path from 'node:path'
import { entriesIn } from '@cadre/disk'
import { statsAt } from './with-lookup-cache.ts'

interface Known {
  readonly folders: readonly { readonly at: string; readonly mark: string }[]
  readonly targets: ReadonlySet<string>
}

const known = new Map<string, Known>()
const maxFolders = 200

/**
 * True if a link below a protected folder points to this file: writing the file would then change protected content. A
 * folder is read again only if it has changed.
 */
export function isLinkedFrom(folder: string, stats: Stats, target: Pick<Stats, 'dev' | 'ino'>): boolean {
  let found = known.get(folder)
  if (found === undefined || !isCurrent(found, stats)) {
    found = scanLinks(folder)
    if (known.size > 1_000) known.clear()
    known.set(folder, found)
  }
  return found.targets.size > 0 && found.targets.has(fileIdentity(target))
}

export function fileIdentity({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`
}

function isCurrent({ folders, targets }: Known, stats: Stats): boolean {
  // The target of a link can change without its folder, so it must be checked.
  if (targets.size > 0) return false
  return folders.every(({ at, mark }, i) => mark === markOf(i === 0 ? stats : at))
}

function scanLinks(top: string): Known {
  const folders: { at: string; mark: string }[] = []
  const targets = new Set<string>()
  const waiting = [top]
  for (let at = waiting.pop(); at !== undefined && folders.length < maxFolders; at = waiting.pop()) {
    folders.push({ at, mark: markOf(at) })
    for (const entry of entriesIn(at)) {
      const place = path.join(at, entry.name)
      if (entry.isDirectory()) waiting.push(place)
      else if (entry.isSymbolicLink()) {
        const stats = statsAt(place)
        if (stats !== undefined) targets.add(fileIdentity(stats))
      }
    }
  }
  return { folders, targets }
}

function markOf(folder: string | Stats): string {
  const stats = typeof folder === 'string' ? statsAt(folder) : folder
  return stats === undefined ? '' : `${fileIdentity(stats)}:${stats.mtimeMs}`
}
