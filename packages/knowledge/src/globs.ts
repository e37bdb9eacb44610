import { glob } from '@cadre/disk'

/** True if a path below a folder, with `/`, matches one of these globs. Without `**`, a glob applies to the folder itself. */
export function matchesGlobs(path: string, globs: readonly string[]): boolean {
  return globs.some((one) => glob(`./${one}`)?.(path) === true)
}

/** Splits a list such as `src/**, *.{ts,tsx}` into globs: a comma within braces does not separate. */
export function splitGlobs(text: string): string[] {
  const globs: string[] = []
  let depth = 0
  let glob = ''
  for (const letter of text) {
    if (letter === '{') depth++
    if (letter === '}') depth--
    if (letter === ',' && depth <= 0) {
      globs.push(glob)
      glob = ''
    } else glob += letter
  }
  return [...globs, glob].map((one) => one.trim().replace(/^\.?\//, '')).filter((one) => one !== '')
}

/** True if one of these globs matches every file. */
export function matchesEverything(globs: readonly string[]): boolean {
  return globs.some((glob) => /^\*\*(?:\/\*\*?)?$/.test(glob))
}
