/** Returns whether a path is ignored, or `undefined` if no rule matches it. */
export type IgnoreRules = (path: string, isFolder: boolean) => boolean | undefined

interface IgnoreRule {
  readonly matches: (path: string) => boolean
  /** Matches the path, and otherwise the name. */
  readonly isAnchored: boolean
  readonly negated: boolean
  readonly onlyFolders: boolean
}

/** No path is longer. */
const maxLine = 4_096

/** Reads one `.gitignore` as git does; paths are relative to its folder. Without regular expressions, whose time is not limited. */
export function ignoreRules(text: string): IgnoreRules {
  const lines = text.replace(/^\uFEFF/, '').split('\n')
  const rules = lines.flatMap((line) => ruleOf(bytesOf(line.replace(/\r$/, ''))))
  return (path, isFolder) => {
    const bytes = bytesOf(path)
    const name = bytes.slice(bytes.lastIndexOf('/') + 1)
    const rule = rules.findLast(
      ({ matches, isAnchored, onlyFolders }) =>
        (isFolder || !onlyFolders) && matches(isAnchored ? bytes : name),
    )
    return rule === undefined ? undefined : !rule.negated
  }
}

/** One character per byte: to git, `?` is one byte. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function ruleOf(line: string): IgnoreRule[] {
  if (line.startsWith('#') || line.length > maxLine) return []
  const trimmed = withoutLastSpaces(line)
  const negated = trimmed.startsWith('!')
  const onlyFolders = trimmed.endsWith('/')
  const pattern = trimmed.slice(negated ? 1 : 0, onlyFolders ? -1 : undefined)
  // A slash at the start or in the middle anchors a rule to its folder.
  const isAnchored = pattern.includes('/')
  const matches = pattern === '' ? undefined : matcherOf(pattern.replace(/^\//, ''))
  return matches === undefined ? [] : [{ matches, isAnchored, negated, onlyFolders }]
}

function withoutLastSpaces(line: string): string {
  let end = 0
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\') at++
    else if (line[at] === ' ') continue
    end = at + 1
  }
  return line.slice(0, end)
}

/** One part of a pattern: a character that it needs, any number of them, or a choice of where to continue. */
type Part =
  | { readonly fits: (byte: string) => boolean; readonly repeats?: boolean }
  | { readonly continuesAt: readonly number[] }

/** Returns `undefined` for a pattern that matches nothing. */
function matcherOf(pattern: string): ((path: string) => boolean) | undefined {
  const first = pattern.search(/[*?[\\]/)
  if (first === -1) return (path) => path === pattern
  const start = pattern.slice(0, first)
  const end = pattern.slice(Math.max(...[...'*?[]\\/'].map((sign) => pattern.lastIndexOf(sign))) + 1)
  const parts = partsOf(pattern.slice(first))
  if (parts === undefined) return undefined
  // Most paths end differently, which is fast to check.
  return (path) => path.endsWith(end) && path.startsWith(start) && matchesParts(parts, path.slice(first))
}

const isAny = () => true
const isInName = (byte: string) => byte !== '/'

function partsOf(pattern: string): Part[] | undefined {
  const parts: Part[] = []
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern[at] as string
    if (sign === '*') {
      const stars = /^\*+/.exec(pattern.slice(at))?.[0].length as number
      const isWhole =
        stars > 1 && (at === 0 || pattern[at - 1] === '/') && /^(?:\\?\/|$)/.test(pattern.slice(at + stars))
      // Any number of folders, also none.
      if (isWhole && pattern[at + stars] === '/')
        parts.push({ continuesAt: [parts.length + 1, parts.length + 3] })
      parts.push({ fits: isWhole ? isAny : isInName, repeats: true })
      at += stars - 1
    } else if (sign === '?') parts.push({ fits: isInName })
    else if (sign === '[') {
      const found = classAt(pattern, at)
      if (found === undefined) return undefined
      parts.push(found)
      at = found.end
    } else {
      const wanted = sign === '\\' ? pattern[++at] : sign
      if (wanted === undefined) return undefined
      parts.push({ fits: (byte) => byte === wanted })
    }
  }
  return parts
}

/** Follows all possible matches at once. The work is limited to the pattern's length times that of the path. */
function matchesParts(parts: readonly Part[], path: string): boolean {
  const seen = new Int32Array(parts.length + 1)
  let reached: number[] = []
  const reach = (places: number[], place: number, step: number) => {
    if (seen[place] !== step) places.push(place)
    seen[place] = step
  }
  for (let step = 0; step <= path.length; step++) {
    const next: number[] = []
    if (step === 0) reach(next, 0, 1)
    for (const at of reached) {
      const part = parts[at]
      if (part !== undefined && 'fits' in part && part.fits(path[step - 1] as string))
        reach(next, part.repeats ? at : at + 1, step + 1)
    }
    // This also visits the places that it adds.
    for (const at of next) {
      const part = parts[at]
      if (part === undefined) continue
      if ('continuesAt' in part) for (const place of part.continuesAt) reach(next, place, step + 1)
      else if (part.repeats) reach(next, at + 1, step + 1)
    }
    if (next.length === 0) return false
    reached = next
  }
  return reached.includes(parts.length)
}

const namedClasses: Readonly<Record<string, RegExp>> = {
  alnum: /[a-z0-9]/i,
  alpha: /[a-z]/i,
  blank: /[ \t]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the class of these characters
  cntrl: /[\0-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9a-f]/i,
}

/** Reads a class such as `[!a-z]`. Returns `undefined` if it is malformed, as then the pattern matches nothing. */
function classAt(pattern: string, from: number): (Part & { readonly end: number }) | undefined {
  const negated = pattern[from + 1] === '!' || pattern[from + 1] === '^'
  const members: ((byte: string) => boolean)[] = []
  const start = from + (negated ? 2 : 1)
  /** The start of a range, if a `-` follows. */
  let before: string | undefined
  for (let at = start; at < pattern.length; at++) {
    let letter = pattern[at]
    if (letter === ']' && at > start) {
      const fits = (byte: string) => byte !== '/' && members.some((has) => has(byte)) !== negated
      return { fits, end: at }
    }
    if (letter === '-' && before !== undefined && at + 1 < pattern.length && pattern[at + 1] !== ']') {
      letter = pattern[++at]
      if (letter === '\\') letter = pattern[++at]
      if (letter === undefined) return undefined
      const [low, high] = [before, letter]
      members.push((byte) => byte >= low && byte <= high)
      before = undefined
      continue
    }
    const named = letter === '[' ? /^\[:([^\]]*):\]/.exec(pattern.slice(at)) : undefined
    if (named) {
      const [whole, name = ''] = named
      const listed = Object.hasOwn(namedClasses, name) ? namedClasses[name] : undefined
      if (listed === undefined) return undefined
      members.push((byte) => listed.test(byte))
      at += whole.length - 1
      before = undefined
      continue
    }
    if (letter === '\\') letter = pattern[++at]
    if (letter === undefined) return undefined
    const member = letter
    members.push((byte) => byte === member)
    before = letter
  }
  return undefined
}
