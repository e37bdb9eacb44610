import { lstatSync } from 'node:fs'

/** Whether git could hold what is there: a file, or a link whatever it leads to. */
export function isFile(place: string): boolean {
  try {
    const stats = lstatSync(place)
    return stats.isFile() || stats.isSymbolicLink()
  } catch {
    return false
  }
}
