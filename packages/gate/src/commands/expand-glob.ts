import path from 'node:path'
import { namesIn } from '@cadre/disk'
import { entryAt, statsAt } from '../paths/one-look.ts'

/** More names than these are not looked at one by one. */
const mostNames = 5_000
const mostMatches = 500

export interface ExpandedGlob {
  /** What fits it now, joined to the folder as it is written. */
  readonly paths: readonly string[]
  /** There was more to look at than is looked at. */
  readonly isCut: boolean
}

/**
 * The files that a glob would stand for, as the shell would find them in a folder: rather one too many than one too few, because
 * what fits may be a link, or protected. What does not exist fits nothing, unless it is to be written.
 */
export function expandGlob(glob: string, folder: string, isWritten = false): ExpandedGlob {
  const isAbsolute = path.isAbsolute(glob)
  let found: string[] = [isAbsolute ? '/' : '']
  let names = 0
  let isFixed = true
  for (const part of glob.split('/').filter((one) => one !== '')) {
    const fits = fitting(part)
    const next: string[] = []
    for (const start of found) {
      if (fits === undefined) {
        // In front of the first wildcard it is taken as it is.
        if (isFixed || isWritten || statsAt(path.resolve(folder, start + part), entryAt))
          next.push(start + part)
        continue
      }
      const entries = namesIn(isAbsolute ? start : path.join(folder, start))
      names += entries.length
      if (names > mostNames) return { paths: found, isCut: true }
      // Bash before 5.2 finds both with `.*`.
      for (const name of [...entries, '.', '..']) if (fits(name)) next.push(start + name)
      if (next.length > mostMatches) return { paths: next.slice(0, mostMatches), isCut: true }
    }
    isFixed &&= fits === undefined
    found = next.map((one) => `${one}/`)
  }
  return { paths: found.map((one) => (one.length > 1 ? one.slice(0, -1) : one)), isCut: false }
}

/** How a name is compared with one part of a glob; nothing where it has no wildcard. */
function fitting(part: string): ((name: string) => boolean) | undefined {
  if (!/[*?[({]/.test(part)) return undefined
  // Choices are not read, and many stars would take long: then every name fits.
  if (/[({]/.test(part) || part.split('*').length > 4) return () => true
  const source = part.replace(/\[[^/]*\]|\[|[*?]|[^*?[]+/g, (one) => {
    if (one === '*' || one === '[') return '.*'
    if (one === '?') return '.'
    // Which letters a bracket stands for is not read either.
    return one.startsWith('[') ? '.+' : one.replace(/[.+^${}()|\]\\]/g, '\\$&')
  })
  const regex = new RegExp(`^${source}$`, 's')
  return (name) => (part.startsWith('.') || !name.startsWith('.')) && regex.test(name)
}
