import { glob } from '@cadre/disk'

/** Whether a path below a folder, with `/`, fits one of these globs. Without `**`, a glob is about the folder itself. */
export function fitsGlobs(path: string, globs: readonly string[]): boolean {
  return globs.some((one) => glob(`./${one}`)?.(path) === true)
}

/** The globs of a list such as `src/**, *.{ts,tsx}`: a comma within braces does not divide. */
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

/** Whether one of these globs fits every file. */
export function fitsEverything(globs: readonly string[]): boolean {
  return globs.some((glob) => /^\*\*(?:\/\*\*?)?$/.test(glob))
}
