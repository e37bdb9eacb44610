const mostLetters = 1_000
const mostAlternatives = 64

/**
 * Whether a path below a folder, with `/`, fits one of these globs: `*` within a name, `**` over folders, `?`, and `{a,b}`. Takes time
 * in proportion to both lengths, whatever the pattern is.
 */
export function fitsGlobs(path: string, globs: readonly string[]): boolean {
  const names = path.split('/')
  return globs.flatMap(alternatives).some((glob) => fits(glob.split('/'), names))
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

function alternatives(glob: string): string[] {
  if (glob.length > mostLetters) return []
  let all = [glob]
  for (;;) {
    const open = all.find((one) => /\{[^{}]*\}/.test(one))
    if (open === undefined) return all
    const [whole, inner] = /\{([^{}]*)\}/.exec(open) as RegExpExecArray
    const expanded = (inner as string).split(',').map((part) => open.replace(whole, () => part))
    all = [...all.filter((one) => one !== open), ...expanded]
    if (all.length > mostAlternatives) return []
  }
}

function fits(glob: readonly string[], names: readonly string[]): boolean {
  const known = new Map<number, boolean>()
  const from = (i: number, j: number): boolean => {
    if (i === glob.length) return j === names.length
    const key = i * (names.length + 1) + j
    const before = known.get(key)
    if (before !== undefined) return before
    const found =
      glob[i] === '**'
        ? // A last `**` is what is in a folder, not the folder.
          (i < glob.length - 1 && from(i + 1, j)) ||
          (j < names.length && (from(i, j + 1) || from(i + 1, j + 1)))
        : j < names.length && fitsName(glob[i] as string, names[j] as string) && from(i + 1, j + 1)
    known.set(key, found)
    return found
  }
  return from(0, 0)
}

function fitsName(glob: string, name: string): boolean {
  let at = 0
  let i = 0
  let star = -1
  let retry = 0
  while (at < name.length) {
    if (i < glob.length && glob[i] !== '*' && (glob[i] === '?' || glob[i] === name[at])) {
      i++
      at++
    } else if (glob[i] === '*') {
      star = i++
      retry = at
    } else if (star >= 0) {
      i = star + 1
      at = ++retry
    } else return false
  }
  while (glob[i] === '*') i++
  return i === glob.length
}
