export type Node =
  | { readonly kind: 'letter'; readonly takes: (letter: string) => boolean }
  | { readonly kind: 'place'; readonly holds: Assertion }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly min: number; readonly max: number }

/** Tests a position between two characters. `undefined` is the beginning or the end of the text. */
export type Assertion = (before: string | undefined, after: string | undefined) => boolean

export interface PatternFault {
  /** The reason as a clause: `the pattern has a backreference`. */
  readonly fault: string
}

class Unsupported extends Error {}

/** Parses a valid regular expression. Returns a fault if it cannot be matched in linear time. */
export function parsePattern(source: string): Node | PatternFault {
  const tokens = source.match(token) ?? []
  let at = 0
  try {
    return choice(0)
  } catch (error) {
    if (error instanceof Unsupported) return { fault: error.message }
    throw error
  }

  function choice(depth: number): Node {
    if (depth > 100) throw new Unsupported('the groups of the pattern are nested too deeply')
    const parts = [sequence(depth)]
    while (tokens[at] === '|') {
      at++
      parts.push(sequence(depth))
    }
    return parts.length === 1 ? (parts[0] as Node) : { kind: 'choice', parts }
  }

  function sequence(depth: number): Node {
    const parts: Node[] = []
    for (let next = tokens[at]; next !== undefined && next !== '|' && next !== ')'; next = tokens[at])
      parts.push(repeated(part(depth)))
    return { kind: 'sequence', parts }
  }

  function part(depth: number): Node {
    const text = tokens[at++] as string
    if (text.startsWith('(')) {
      if (/^\(\?(?!:|<[^=!])/.test(text)) throw new Unsupported('the pattern has a lookahead or a lookbehind')
      const inside = choice(depth + 1)
      at++
      return inside
    }
    if (/^\\(?:[1-9]|k)/.test(text)) throw new Unsupported('the pattern has a backreference')
    const holds = assertions[text]
    if (holds !== undefined) return { kind: 'place', holds }
    return { kind: 'letter', takes: letterTest(text) }
  }

  function repeated(part: Node): Node {
    const bounds = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/.exec(tokens[at] ?? '')
    if (bounds === null) return part
    at++
    const [, sign, low, comma, high] = bounds
    if (sign !== undefined)
      return { kind: 'repeat', part, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity }
    const min = Number(low)
    return { kind: 'repeat', part, min, max: high ? Number(high) : comma ? Infinity : min }
  }
}

/** Groups, classes, escapes, quantifiers and single characters. */
const token =
  /\(\?(?:<[^=!][^>]*>|<?[=!]|:|[\w-]*:)|\[(?:\\.|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|k<[^>]*>|\d+|.)|\{\d+,?\d*\}\??|[*+?]\??|./gsu

const isWord = (letter: string | undefined) => letter !== undefined && /^\w$/.test(letter)

const assertions: Readonly<Record<string, Assertion | undefined>> = {
  __proto__: null as never,
  '^': (before) => before === undefined,
  $: (_, after) => after === undefined,
  '\\b': (before, after) => isWord(before) !== isWord(after),
  '\\B': (before, after) => isWord(before) === isWord(after),
}

/** A class or an escape matches one character, which `RegExp` tests in constant time. */
function letterTest(text: string): (letter: string) => boolean {
  if (text !== '.' && !/^[[\\]/.test(text)) return (letter) => letter === text
  const one = new RegExp(`^${text}$`, 'u')
  const known = new Map<string, boolean>()
  return (letter) => {
    let takes = known.get(letter)
    if (takes === undefined) {
      takes = one.test(letter)
      if (known.size < 10_000) known.set(letter, takes)
    }
    return takes
  }
}
