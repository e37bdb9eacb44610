/** The candidates most like `name`, best first. Empty when none is alike enough to be worth naming. */
export function nearest(name: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = name.toLowerCase()
  const most = Math.max(2, Math.floor(wanted.length / 2))
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, far: farness(wanted, candidate.toLowerCase()) }))
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far)
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}

/** A sentence's end for a list of names: `; did you mean "a" or "b"?` */
export function didYouMean(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name))
  const last = quoted.pop()
  if (last === undefined) return ''
  return quoted.length === 0 ? `; did you mean ${last}?` : `; did you mean ${quoted.join(', ')} or ${last}?`
}

// A name that contains the other is near however long the rest is: "sonnet" means "claude-sonnet-4.5".
function farness(a: string, b: string): number {
  const distance = editDistance(a, b)
  const shorter = Math.min(a.length, b.length)
  if (shorter < 3 || !(a.includes(b) || b.includes(a))) return distance
  return Math.min(distance, 1 + Math.abs(a.length - b.length) / 100)
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      )
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1)
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return last[b.length] ?? a.length
}
