import type { Assertion, Node, PatternFault } from './parse-pattern.ts'

/** A state of the automaton. `next`, `first` and `second` are indexes in the list of states. */
export type State =
  | { readonly kind: 'letter'; readonly takes: (letter: string) => boolean; readonly next: number }
  | { readonly kind: 'place'; readonly holds: Assertion; readonly next: number }
  | { readonly kind: 'split'; readonly first: number; second: number }
  | { readonly kind: 'match' }

const maxStates = 10_000

class TooLarge extends Error {}

export function buildNfa(
  node: Node,
): { readonly states: readonly State[]; readonly start: number } | PatternFault {
  const states: State[] = []
  const add = (state: State): number => {
    if (states.length >= maxStates) throw new TooLarge()
    return states.push(state) - 1
  }
  try {
    return { states, start: build(node, add({ kind: 'match' })) }
  } catch (error) {
    if (error instanceof TooLarge) return { fault: 'the pattern is too long, or has too many repetitions' }
    throw error
  }

  /** Adds the states of a node that continue with `next`. Returns the first of them. */
  function build(part: Node, next: number): number {
    switch (part.kind) {
      case 'letter':
      case 'place':
        return add({ ...part, next })
      case 'sequence':
        return part.parts.reduceRight((after, one) => build(one, after), next)
      case 'choice':
        return part.parts
          .map((one) => build(one, next))
          .reduce((first, second) => add({ kind: 'split', first, second }))
      case 'repeat':
        return repeat(part, next)
    }
  }

  function repeat({ part, min, max }: Extract<Node, { kind: 'repeat' }>, next: number): number {
    let start = next
    if (max === Infinity) {
      const loop = add({ kind: 'split', first: next, second: next })
      const split = states[loop] as Extract<State, { kind: 'split' }>
      split.second = build(part, loop)
      start = loop
    } else
      for (let count = min; count < max; count++)
        start = add({ kind: 'split', first: build(part, start), second: next })
    for (let count = 0; count < min; count++) start = build(part, start)
    return start
  }
}
