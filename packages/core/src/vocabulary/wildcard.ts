/**
 * Returns whether the whole text matches a pattern, in which `*` matches any text and `?` one character. The number of steps is at most the
 * product of both lengths, for any pattern.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  let p = 0
  let t = 0
  let star = -1
  let resume = 0
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++
      resume = t
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p += 1
      t += 1
    } else if (star >= 0) {
      // Let the last star match one more character, and retry the rest.
      p = star + 1
      t = ++resume
    } else return false
  }
  while (pattern[p] === '*') p += 1
  return p === pattern.length
}

/** True for one or more `*`. */
export function matchesAnything(pattern: string): boolean {
  return /^\*+$/.test(pattern)
}
