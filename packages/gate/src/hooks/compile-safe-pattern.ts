export type CompiledPattern =
  | { readonly kind: 'pattern'; test(text: string): boolean }
  | { readonly kind: 'invalid' }
  /** A regular expression that could run forever on a short name. */
  | { readonly kind: 'costly' }

/** Longer than any matcher that a person writes. */
const maxPatternLength = 2_000
/** For names of tools and agents; only the start of a longer text is compared. */
const maxTextLength = 256
const maxRepeats = 4

/**
 * Compiles a regular expression from a file. Rejects expressions with catastrophic backtracking: a matcher must not be able
 * to block every session.
 */
export function compileSafePattern(
  source: string,
  { anchored }: { readonly anchored: boolean },
): CompiledPattern {
  if (source.length > maxPatternLength) return { kind: 'costly' }
  let pattern: RegExp
  try {
    pattern = new RegExp(anchored ? `^(?:${source})$` : source)
    // Rejects a source that is valid only inside the added brackets.
    new RegExp(source)
  } catch {
    return { kind: 'invalid' }
  }
  if (mayBacktrack(source)) return { kind: 'costly' }
  return { kind: 'pattern', test: (text) => pattern.test(text.slice(0, maxTextLength)) }
}

/**
 * True if it repeats something that itself repeats or has alternatives, has a backreference, or has too many unbounded
 * repetitions: anything worse than a low polynomial. Rejects some harmless ones.
 */
function mayBacktrack(source: string): boolean {
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
      if (++repeats > maxRepeats) return true
      // Nested counted repetitions multiply as well.
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
