import { lstatSync } from 'node:fs'

/** Returns whether git can track this path: a file, or a link to anything. */
export function isFile(place: string): boolean {
  try {
    const stats = lstatSync(place)
    return stats.isFile() || stats.isSymbolicLink()
  } catch {
    return false
  }
}
