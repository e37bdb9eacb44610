/** A token, as the YAML parser returns it. */
interface Token {
  readonly key?: unknown
  readonly value?: unknown
  readonly items?: readonly Token[]
}

/**
 * Returns whether brackets, lists or mappings are nested more than `most` levels deep. Recursive parsers crash the process at some hundred
 * levels. `tokensOf` is called only if the text could be that deep.
 */
export function isNestedDeeper(text: string, max: number, tokensOf: () => Iterable<object>): boolean {
  if (levelsAtMost(text) <= max) return false
  const left: [Token, number][] = Array.from(tokensOf(), (token) => [token as Token, 0])
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [token, depth] = next
    if (depth > max) return true
    for (const { key, value } of [token, ...(token.items ?? [])])
      for (const part of [key, value])
        if (typeof part === 'object' && part !== null) left.push([part as Token, depth + 1])
  }
  return false
}

/** An upper bound: each bracket is a level, and in each line so is every space of indentation and every list or mapping marker. */
function levelsAtMost(text: string): number {
  const brackets = text.match(/[[{]/g)?.length ?? 0
  let longest = 0
  for (const line of text.split('\n')) {
    const indent = line.length - line.trimStart().length
    longest = Math.max(longest, indent + (line.match(/[-?:](?=\s|$)/g)?.length ?? 0))
  }
  return brackets + longest
}
