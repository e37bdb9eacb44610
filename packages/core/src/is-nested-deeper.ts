/** A part of a text that a parser has taken apart, as the parser of YAML gives it. */
interface Token {
  readonly key?: unknown
  readonly value?: unknown
  readonly items?: readonly Token[]
}

/**
 * Whether brackets, or lists and mappings, stand within each other more than `most` times. Parsers that call themselves for each
 * level end the process, not only themselves, some hundred levels down. `tokensOf` is asked only where a text could be so deep.
 */
export function isNestedDeeper(text: string, most: number, tokensOf: () => Iterable<object>): boolean {
  if (levelsAtMost(text) <= most) return false
  const left: [Token, number][] = Array.from(tokensOf(), (token) => [token as Token, 0])
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [token, depth] = next
    if (depth > most) return true
    for (const { key, value } of [token, ...(token.items ?? [])])
      for (const part of [key, value])
        if (typeof part === 'object' && part !== null) left.push([part as Token, depth + 1])
  }
  return false
}

/** A bracket is a level anywhere; within a line, so is each space it is indented by, and each sign of a list or a mapping. */
function levelsAtMost(text: string): number {
  const brackets = text.match(/[[{]/g)?.length ?? 0
  let longest = 0
  for (const line of text.split('\n')) {
    const indent = line.length - line.trimStart().length
    longest = Math.max(longest, indent + (line.match(/[-?:](?=\s|$)/g)?.length ?? 0))
  }
  return brackets + longest
}
