/**
 * Matches the patterns of JSON Schemas in linear time. A pattern comes from a file and runs over text of a model: with `RegExp`, some
 * patterns take minutes for a short text. Patterns are regular expressions with the flag `u`, without lookaround and backreferences.
 */

import { type Node, type PatternFault, parsePattern } from './parse-pattern.ts'
import { buildNfa, type State } from './pattern-states.ts'

export interface Pattern {
  /** Returns whether the pattern occurs in the text, or `undefined` if the text is too long to test in reasonable time. */
  test(text: string): boolean | undefined
}

/** The maximum number of steps of one test: about half a second. */
const maxSteps = 50_000_000

const known = new Map<string, Pattern | PatternFault>()

export function readPattern(source: string): Pattern | PatternFault {
  let pattern = known.get(source)
  if (pattern === undefined) {
    pattern = create(source)
    // Real schemas have few patterns. More are probably generated, so do not keep them all.
    if (known.size >= 1000) known.clear()
    known.set(source, pattern)
  }
  return pattern
}

function create(source: string): Pattern | PatternFault {
  try {
    new RegExp(source, 'u')
  } catch {
    return { fault: 'the pattern is not a valid regular expression' }
  }
  const node: Node | PatternFault = parsePattern(source)
  if ('fault' in node) return node
  const nfa = buildNfa(node)
  if ('fault' in nfa) return nfa
  const { states, start } = nfa
  return {
    test: (text) =>
      text.length * states.length > maxSteps ? undefined : findMatch(states, start, [...text]),
  }
}

/** Follows all paths through the states in parallel, so that each character is read once. */
function findMatch(states: readonly State[], start: number, letters: readonly string[]): boolean {
  const reached = new Uint32Array(states.length)
  let now: number[] = []
  for (let at = 0; at <= letters.length; at++) {
    const next: number[] = []
    const waiting = [...now, start]
    while (waiting.length > 0) {
      const id = waiting.pop() as number
      if (reached[id] === at + 1) continue
      reached[id] = at + 1
      const state = states[id] as State
      if (state.kind === 'match') return true
      if (state.kind === 'split') waiting.push(state.first, state.second)
      else if (state.kind === 'place') {
        if (state.holds(letters[at - 1], letters[at])) waiting.push(state.next)
      } else if (at < letters.length && state.takes(letters[at] as string)) next.push(state.next)
    }
    now = next
  }
  return false
}
