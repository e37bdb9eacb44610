/**
 * Whether the whole text fits a pattern in which `*` stands for any text and `?` for one character. Takes at most as many
 * steps as both lengths multiplied, whatever a file has for a pattern.
 */
export function fitsWildcard(pattern: string, text: string): boolean {
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
      // The last star takes one more character, and the rest is tried again.
      p = star + 1
      t = ++resume
    } else return false
  }
  while (pattern[p] === '*') p += 1
  return p === pattern.length
}

/** `*`, or as many of them as somebody likes to write. */
export function isEverything(pattern: string): boolean {
  return /^\*+$/.test(pattern)
}
