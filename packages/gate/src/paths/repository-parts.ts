import path from 'node:path'
import { entryAt } from './one-look.ts'

// Git takes any folder with these for a repository, whatever it is called, and obeys its settings: one of them names a program
// that `git status` starts. Compared without case, as some file systems do.
const parts = ['HEAD', 'objects', 'refs', 'commondir'] as const
const partNames = new Set<string>(parts.map((name) => name.toLowerCase()))

/** Whether this name, in any case, is one of those that make a folder a repository. */
export function isRepositoryPart(name: string): boolean {
  return partNames.has(name.toLowerCase())
}

/** Whether a folder with such names is a repository for git. Its files are not looked into: they can be changed later. */
export function makesRepository(has: (part: (typeof parts)[number]) => boolean): boolean {
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')))
}

/**
 * Whether a file of a folder is part of a repository without a `.git`, or would make one of any folder on the way. `names` are
 * its names below the folder, `plain` the same in plain letters. One look at the disk for each folder on the way.
 */
export function isInBareRepository(
  root: string,
  names: readonly string[],
  plain: readonly string[],
): boolean {
  let folder = root
  for (const [at, name] of names.entries()) {
    const added = plain[at]
    const has = (part: string) => added === part.toLowerCase() || exists(`${folder}${path.sep}${part}`)
    if (makesRepository(has)) return true
    folder = path.join(folder, name)
  }
  return false
}

function exists(place: string): boolean {
  try {
    return entryAt(place) !== undefined
  } catch {
    return false
  }
}
