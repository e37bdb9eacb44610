import path from 'node:path'
import { entryAt, statsAt } from './with-lookup-cache.ts'

// Git treats any folder with these names as a repository, and applies its settings, one of which names a program that `git
// status` starts. Compared without case, as some file systems do.
const parts = ['HEAD', 'objects', 'refs', 'commondir'] as const
const partNames = new Set<string>(parts.map((name) => name.toLowerCase()))

/** True if this name, in any case, is one of those that make a folder a repository. */
export function isRepositoryPart(name: string): boolean {
  return partNames.has(name.toLowerCase())
}

/** True if git treats a folder with such names as a repository. The files are not read, because they can change later. */
export function looksLikeRepository(has: (part: (typeof parts)[number]) => boolean): boolean {
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')))
}

/**
 * True if a file is part of a repository without a `.git`, or would turn a folder above it into one. `names` are its names
 * below the folder, `plain` the same normalized. Needs one file system lookup per folder.
 */
export function isInBareRepository(
  root: string,
  names: readonly string[],
  plain: readonly string[],
): boolean {
  let folder = root
  for (const [at, name] of names.entries()) {
    const added = plain[at]
    const has = (part: string) =>
      added === part.toLowerCase() || statsAt(`${folder}${path.sep}${part}`, entryAt) !== undefined
    if (looksLikeRepository(has)) return true
    folder = path.join(folder, name)
  }
  return false
}
