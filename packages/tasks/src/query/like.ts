/** So that a pattern times a text stays small, whatever somebody asks for. */
export const longestPattern = 1_000

type Part = { readonly kind: 'any' | 'one' } | { readonly kind: 'sign'; readonly sign: string }

/**
 * Whether the whole of a text fits a pattern in which `%` stands for any text and `_` for one character; a backslash before
 * either means the sign itself. Small and capital letters are the same. Takes at most as many steps as both lengths
 * multiplied.
 */
export function likePattern(pattern: string): (text: string) => boolean {
  const parts = partsOf(pattern.toLowerCase())
  return (text) => {
    const small = text.toLowerCase()
    // A character outside of the basic plane is one, though it takes two units.
    return fits(parts, paired.test(small) ? [...small] : small)
  }
}

const paired = /[\ud800-\udfff]/

function partsOf(pattern: string): Part[] {
  const parts: Part[] = []
  let isEscaped = false
  for (const sign of pattern) {
    if (isEscaped) {
      // Before anything else a backslash is itself.
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
      // The last `%` takes one more character, and the rest is tried again.
      p = any + 1
      t = ++resume
    } else return false
  }
  while (parts[p]?.kind === 'any') p += 1
  return p === parts.length
}
