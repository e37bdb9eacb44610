import type { Stats } from 'node:fs'
import path from 'node:path'
import { namesIn } from '@cadre/disk'
import { entryAt } from './one-look.ts'

const mostEntries = 50_000

/**
 * Whether a file with several names has one of them in a protected place: writing it would write both. Asked only for
 * files with more than one name, which are rare. Where there is too much to look at the answer is yes.
 */
export function sharesContent(file: Pick<Stats, 'dev' | 'ino'>, places: readonly string[]): boolean {
  const waiting = [...places]
  let seen = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (++seen > mostEntries) return true
    const stats = statsAt(at)
    if (stats === undefined || stats.dev !== file.dev) continue
    if (stats.isDirectory()) {
      for (const name of namesIn(at)) if (!isObjects(at, name)) waiting.push(path.join(at, name))
    } else if (stats.ino === file.ino) return true
  }
  return false
}

// Git names its objects after their content and never trusts one that was changed.
function isObjects(folder: string, name: string): boolean {
  return name === 'objects' && path.basename(folder) === '.git'
}

function statsAt(target: string): Stats | undefined {
  try {
    return entryAt(target)
  } catch {
    return undefined
  }
}
