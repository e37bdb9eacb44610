import path from 'node:path'
import { namesIn } from '@cadre/disk'
import { entryAt, statsAt } from '../paths/with-lookup-cache.ts'

/** Folders with more entries than this are not expanded. */
const maxNames = 5_000
const maxMatches = 500

export interface ExpandedGlob {
  /** The current matches, joined to the folder as written. */
  readonly paths: readonly string[]
  /** There were too many entries to check all of them. */
  readonly isCut: boolean
}

/**
 * Returns the files that a glob matches in a folder, as a shell would. It may return too many, never too few, because a
 * match may be a link or protected. Nonexistent names do not match, unless they would be written.
 */
export function expandGlob(glob: string, folder: string, isWritten = false): ExpandedGlob {
  const isAbsolute = path.isAbsolute(glob)
  let found: string[] = [isAbsolute ? '/' : '']
  let names = 0
  let isFixed = true
  for (const part of glob.split('/').filter((one) => one !== '')) {
    const fits = compileGlobPart(part)
    const next: string[] = []
    for (const start of found) {
      if (fits === undefined) {
        // The part before the first wildcard is used as written.
        if (isFixed || isWritten || statsAt(path.resolve(folder, start + part), entryAt))
          next.push(start + part)
        continue
      }
      const entries = namesIn(isAbsolute ? start : path.join(folder, start))
      names += entries.length
      if (names > maxNames) return { paths: found, isCut: true }
      // Bash before 5.2 finds both with `.*`.
      for (const name of [...entries, '.', '..']) if (fits(name)) next.push(start + name)
      if (next.length > maxMatches) return { paths: next.slice(0, maxMatches), isCut: true }
    }
    isFixed &&= fits === undefined
    found = next.map((one) => `${one}/`)
  }
  return { paths: found.map((one) => (one.length > 1 ? one.slice(0, -1) : one)), isCut: false }
}

/** Returns a function that compares a name with one part of a glob, or undefined if the part has no wildcard. */
function compileGlobPart(part: string): ((name: string) => boolean) | undefined {
  if (!/[*?[({]/.test(part)) return undefined
  // Alternatives are not parsed, and many stars would be slow: then every name matches.
  if (/[({]/.test(part) || part.split('*').length > 4) return () => true
  const source = part.replace(/\[[^/]*\]|\[|[*?]|[^*?[]+/g, (one) => {
    if (one === '*' || one === '[') return '.*'
    if (one === '?') return '.'
    // The contents of brackets are not parsed either.
    return one.startsWith('[') ? '.+' : one.replace(/[.+^${}()|\]\\]/g, '\\$&')
  })
  const regex = new RegExp(`^${source}$`, 's')
  return (name) => (part.startsWith('.') || !name.startsWith('.')) && regex.test(name)
}
