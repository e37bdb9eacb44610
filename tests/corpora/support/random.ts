/** Pseudo-random numbers, the same for the same seed (mulberry32). */
export interface Random {
  /** An integer from 0 to below `end`. */
  below(end: number): number
  pick<T>(items: readonly T[]): T
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    below,
    pick: (items) => {
      if (items.length === 0) throw new Error('unreachable: nothing to pick from')
      return items[below(items.length)]!
    },
  }
}
