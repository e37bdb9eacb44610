export type SafePattern =
  | { readonly kind: 'pattern'; test(text: string): boolean }
  | { readonly kind: 'invalid' }
  /** A regular expression that could take for ever on a short name. */
  | { readonly kind: 'costly' }

/** Longer than any matcher a person writes. */
const longestPattern = 2_000
/** Names of tools and agents; a text that is longer is compared by its beginning. */
const longestText = 256
const mostRepeats = 4

/**
 * A regular expression out of a file. One that could backtrack without end is not made: a file must not be able to hold up
 * every session by what it has for a matcher.
 */
export function safePattern(source: string, { anchored }: { readonly anchored: boolean }): SafePattern {
  if (source.length > longestPattern) return { kind: 'costly' }
  let pattern: RegExp
  try {
    pattern = new RegExp(anchored ? `^(?:${source})$` : source)
    // What is valid only because of the brackets around it is not valid.
    new RegExp(source)
  } catch {
    return { kind: 'invalid' }
  }
  if (isCostly(source)) return { kind: 'costly' }
  return { kind: 'pattern', test: (text) => pattern.test(text.slice(0, longestText)) }
}

/**
 * Whether it repeats something that itself repeats or chooses, refers back, or repeats without end too often: everything
 * that takes more than a low power of the length. Refuses some that would be harmless.
 */
function isCostly(source: string): boolean {
  const open: { variable: boolean }[] = []
  let repeats = 0
  let last = { variable: false }
  for (let at = 0; at < source.length; at++) {
    const sign = source[at]
    if (sign === '\\') {
      if (/[1-9k]/.test(source[at + 1] ?? '')) return true
      at += 1
      last = { variable: false }
    } else if (sign === '[') {
      at = endOfClass(source, at)
      last = { variable: false }
    } else if (sign === '(') {
      open.push({ variable: false })
    } else if (sign === ')') {
      last = open.pop() ?? { variable: false }
      const around = open.at(-1)
      if (around !== undefined && last.variable) around.variable = true
    } else if (sign === '|') {
      const around = open.at(-1)
      if (around !== undefined) around.variable = true
      last = { variable: false }
    } else if (sign === '*' || sign === '+' || (sign === '{' && /^\{\d+,?\d*\}/.test(source.slice(at)))) {
      if (last.variable) return true
      if (++repeats > mostRepeats) return true
      // Counted repeats of counted repeats multiply as well.
      if (sign === '{' && Number(/^\{(\d+)/.exec(source.slice(at))?.[1]) > 100) return true
      const around = open.at(-1)
      if (around !== undefined) around.variable = true
      last = { variable: true }
      if (sign === '{') at = source.indexOf('}', at)
      if (source[at + 1] === '?') at += 1
    } else if (sign === '?') {
      if (source[at - 1] === '(') continue
      const around = open.at(-1)
      if (around !== undefined) around.variable = true
    } else {
      last = { variable: false }
    }
  }
  return false
}

function endOfClass(source: string, from: number): number {
  for (let at = from + 1; at < source.length; at++) {
    if (source[at] === '\\') at += 1
    else if (source[at] === ']' && at > from + 1) return at
  }
  return source.length
}
