/** Returns whether a relative path with `/` separators matches. */
export type Matcher = (path: string) => boolean

const maxAlternatives = 256

/**
 * Supports `*`, `?`, `[a-z]`, `{a,b}` and `**`, without regular expressions, so that a pattern with many stars cannot block the process. A
 * pattern without `/` matches in every folder; one that starts with `/` or `./` only in the top folder. Returns `undefined` if it has too
 * many alternatives.
 */
export function glob(pattern: string): Matcher | undefined {
  const alternatives = alternativesOf(pattern)
  if (alternatives.length > maxAlternatives) return undefined
  const patterns = alternatives.map((alternative) => {
    const plain = alternative.replace(/^\.?\/+/, '')
    const parts = plain.split(/\/+/)
    if (parts.length > 1 && parts.at(-1) === '') parts[parts.length - 1] = '**'
    return parts.length === 1 && plain === alternative ? ['**', ...parts] : parts
  })
  return (path) => {
    const names = path.split('/')
    return patterns.some((parts) => matchParts(parts, names))
  }
}

/** `**` matches any number of folders. The table limits the work to pattern length times path length. */
function matchParts(parts: readonly string[], names: readonly string[]): boolean {
  let reachable = new Array<boolean>(names.length + 1).fill(false)
  reachable[0] = true
  for (const [index, part] of parts.entries()) {
    const next = new Array<boolean>(names.length + 1).fill(false)
    const last = index === parts.length - 1
    for (let at = 0; at <= names.length; at++) {
      if (!reachable[at]) continue
      if (part !== '**') {
        if (at < names.length && matchName(part, names[at] as string)) next[at + 1] = true
        // A final `**` matches everything below a folder, but not the folder.
      } else for (let to = last ? at + 1 : at; to <= names.length; to++) next[to] = true
    }
    reachable = next
  }
  return reachable[names.length] === true
}

/** Matches one name, with one backtracking position, linear for each star. */
function matchName(pattern: string, name: string): boolean {
  let p = 0
  let n = 0
  let star = -1
  let resume = 0
  while (n < name.length) {
    const step = p < pattern.length ? matchOne(pattern, p, name[n] as string) : 0
    if (p < pattern.length && pattern[p] === '*') {
      star = p++
      resume = n
    } else if (step > 0) {
      p += step
      n++
    } else if (star !== -1) {
      p = star + 1
      n = ++resume
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}

/** Returns how many characters of the pattern match this character of the name, or 0. */
function matchOne(pattern: string, at: number, letter: string): number {
  const sign = pattern[at] as string
  if (sign === '?') return 1
  if (sign === '\\' && at + 1 < pattern.length) return pattern[at + 1] === letter ? 2 : 0
  if (sign === '[') {
    const end = pattern.indexOf(']', pattern[at + 1] === '!' || pattern[at + 1] === '^' ? at + 3 : at + 2)
    if (end !== -1) return inClass(pattern.slice(at + 1, end), letter) ? end - at + 1 : 0
  }
  return sign === letter && sign !== '*' ? 1 : 0
}

function inClass(body: string, letter: string): boolean {
  const negated = body[0] === '!' || body[0] === '^'
  const letters = negated ? body.slice(1) : body
  for (let at = 0; at < letters.length; at++) {
    const isRange = letters[at + 1] === '-' && at + 2 < letters.length
    const from = letters[at] as string
    const to = isRange ? (letters[at + 2] as string) : from
    if (letter >= from && letter <= to) return !negated
    if (isRange) at += 2
  }
  return negated
}

/** Expands `{a,b}`. Stops soon after there are too many alternatives. */
function alternativesOf(pattern: string): string[] {
  const open = pattern.indexOf('{')
  const group = open === -1 ? undefined : groupAt(pattern, open)
  if (group === undefined) return [pattern]
  const out: string[] = []
  for (const option of group.options) {
    for (const rest of alternativesOf(option + pattern.slice(group.end + 1))) {
      out.push(pattern.slice(0, open) + rest)
      if (out.length > maxAlternatives) return out
    }
  }
  return out
}

function groupAt(pattern: string, open: number): { options: string[]; end: number } | undefined {
  const options: string[] = []
  let depth = 0
  let start = open + 1
  for (let at = open; at < pattern.length; at++) {
    const sign = pattern[at]
    if (sign === '{') depth++
    else if (sign === '}') {
      depth--
      if (depth === 0) return { options: [...options, pattern.slice(start, at)], end: at }
    } else if (sign === ',' && depth === 1) {
      options.push(pattern.slice(start, at))
      start = at + 1
    }
  }
  return undefined
}
