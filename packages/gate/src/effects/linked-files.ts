import path from 'node:path'
import { entryAt, namesIn } from '@cadre/disk'
import { fileIdentity } from '../paths/linked-from.ts'
import type { PathPattern } from './path-pattern.ts'

const maxEntries = 200_000
const minCacheMs = 1_000

interface Known {
  /** For each file, the indexes of the patterns that match one of its names. */
  readonly files: ReadonlyMap<string, ReadonlySet<number>>
  /** False if there were too many files to search: then any file with several names may be one of them. */
  readonly isWhole: boolean
  readonly until: number
}

const known = new Map<string, Known>()

/**
 * Finds the patterns that apply to a file by another of its names: a hard link to a denied file has the same content.
 * Considers only files with more than one name, which are rare. Caches the result for one second, or for twenty times the
 * duration of the search.
 */
export function patternsByLink(
  absolute: string,
  key: string,
  patterns: () => readonly PathPattern[],
  roots: readonly string[],
): ReadonlySet<number> {
  const stats = entryAt(absolute)
  if (stats === undefined || !stats.isFile() || stats.nlink < 2) return none
  const before = known.get(key)
  const found = before !== undefined && performance.now() < before.until ? before : search(patterns(), roots)
  if (known.size > 100) known.clear()
  known.set(key, found)
  if (found.isWhole) return found.files.get(fileIdentity(stats)) ?? none
  return new Set(patterns().keys())
}

const none: ReadonlySet<number> = new Set()

function search(patterns: readonly PathPattern[], roots: readonly string[]): Known {
  const began = performance.now()
  const files = new Map<string, Set<number>>()
  let seen = 0
  for (const [number, pattern] of patterns.entries()) {
    const waiting = [...new Set([...roots, ...pattern.tops])].map((place) => ({ place, isWithin: false }))
    for (let at = waiting.pop(); at !== undefined && seen <= maxEntries; at = waiting.pop()) {
      seen++
      const { place } = at
      const match = at.isWithin ? 'within' : pattern.match(place)
      const stats = match === undefined ? undefined : entryAt(place)
      if (stats?.isDirectory())
        for (const name of namesIn(place)) {
          // Git names its objects after their content, and there are many.
          if (name === 'objects' && path.basename(place) === '.git') continue
          waiting.push({ place: path.join(place, name), isWithin: match === 'within' })
        }
      else if (match === 'within' && stats?.isFile() && stats.nlink > 1) {
        const numbers = files.get(fileIdentity(stats)) ?? new Set()
        files.set(fileIdentity(stats), numbers.add(number))
      }
    }
  }
  const took = performance.now() - began
  return {
    files,
    isWhole: seen <= maxEntries,
    until: performance.now() + Math.max(minCacheMs, took * 20),
  }
}
