/** Bounds the work of matching, which is pattern length times text length. */
export const maxPatternLength = 1_000

type Part = { readonly kind: 'any' | 'one' } | { readonly kind: 'sign'; readonly sign: string }

/**
 * Returns a function that matches a whole text against a pattern. `%` matches any text and `_` one character; a backslash escapes them.
 * Ignores case. The number of steps is at most the product of both lengths.
 */
export function likePattern(pattern: string): (text: string) => boolean {
  const parts = partsOf(pattern.toLowerCase())
  return (text) => {
    const small = text.toLowerCase()
    // A character outside the basic plane counts as one, although it has two units.
    return fits(parts, paired.test(small) ? [...small] : small)
  }
}

const paired = /[\ud800-\udfff]/

function partsOf(pattern: string): Part[] {
  const parts: Part[] = []
  let isEscaped = false
  for (const sign of pattern) {
    if (isEscaped) {
      // A backslash before any other character is literal.
      if (sign !== '%' && sign !== '_' && sign !== '\\') parts.push({ kind: 'sign', sign: '\\' })
      parts.push({ kind: 'sign', sign })
      isEscaped = false
    } else if (sign === '\\') isEscaped = true
    else if (sign === '%') parts.push({ kind: 'any' })
    else if (sign === '_') parts.push({ kind: 'one' })
    else parts.push({ kind: 'sign', sign })
  }
  if (isEscaped) parts.push({ kind: 'sign', sign: '\\' })
  return parts
}

function fits(parts: readonly Part[], text: ArrayLike<string>): boolean {
  let p = 0
  let t = 0
  let any = -1
  let resume = 0
  while (t < text.length) {
    const part = parts[p]
    if (part?.kind === 'any') {
      any = p++
      resume = t
    } else if (part?.kind === 'one' || (part?.kind === 'sign' && part.sign === text[t])) {
      p += 1
      t += 1
    } else if (any >= 0) {
      // Let the last `%` match one more character, and retry the rest.
      p = any + 1
      t = ++resume
    } else return false
  }
  while (parts[p]?.kind === 'any') p += 1
  return p === parts.length
}
