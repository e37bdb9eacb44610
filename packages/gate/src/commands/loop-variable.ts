import type { Word } from 'unbash'

/** A word that is nothing but the value of a variable: `$f`, `"$f"`, `"${f}"`. */
export function loopVariable(word: Word): { readonly name: string; readonly isQuoted: boolean } | undefined {
  if (word.parts?.length !== 1) return undefined
  const [part] = word.parts
  const isQuoted = part?.type === 'DoubleQuoted'
  if (isQuoted && part.parts.length !== 1) return undefined
  const inner = isQuoted ? part.parts[0] : part
  if (inner?.type !== 'SimpleExpansion' && inner?.type !== 'ParameterExpansion') return undefined
  const name = /^\$(?:\{(\w+)\}|(\w+))$/.exec(inner.text)
  const found = name?.[1] ?? name?.[2]
  return found === undefined || /^\d/.test(found) ? undefined : { name: found, isQuoted }
}
