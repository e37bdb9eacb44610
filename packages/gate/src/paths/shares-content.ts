import type { Stats } from 'node:fs'
import path from 'node:path'
import { namesIn } from '@cadre/disk'
import { entryAt, statsAt } from './with-lookup-cache.ts'

const maxEntries = 50_000

/**
 * True if one of several hard links of a file is in a protected place: writing the file would change both. Called only for
 * files with more than one name, which are rare. Returns true if there are too many files to search.
 */
export function sharesContent(file: Pick<Stats, 'dev' | 'ino'>, places: readonly string[]): boolean {
  const waiting = [...places]
  let seen = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (++seen > maxEntries) return true
    const stats = statsAt(at, entryAt)
    if (stats === undefined || stats.dev !== file.dev) continue
    if (stats.isDirectory()) {
      for (const name of namesIn(at)) if (!isObjects(at, name)) waiting.push(path.join(at, name))
    } else if (stats.ino === file.ino) return true
  }
  return false
}

// Git names its objects after their content, and rejects a changed one.
function isObjects(folder: string, name: string): boolean {
  return name === 'objects' && path.basename(folder) === '.git'
}
