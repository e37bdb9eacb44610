/** The known names that are most similar to a misspelt one, best first and without duplicates. Empty if none is close. */
export function nearest(name: string, known: Iterable<string>, max = 3): string[] {
  const wanted = name.toLowerCase()
  const reach = Math.max(2, Math.floor(wanted.length / 3))
  return [...new Set(known)]
    .map((candidate) => ({ candidate, distance: distance(wanted, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= reach || candidate.toLowerCase().includes(wanted))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, max)
    .map(({ candidate }) => candidate)
}

/** `. Did you mean a, b?`, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const names = nearest(name, known)
  return names.length === 0 ? '' : `. Did you mean ${names.join(', ')}?`
}

/**
 * The known name that this one seems to misspell: one letter added, missing, wrong or in the wrong place, or two in a long name. Much
 * stricter than `nearest`, because callers reject the name.
 */
export function findMisspelling(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase()
  const reach = wanted.length < 12 ? 1 : 2
  let best: { readonly candidate: string; readonly distance: number } | undefined
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) > reach) continue
    const off = distance(wanted, candidate.toLowerCase())
    if (off <= reach && off < (best?.distance ?? Infinity)) best = { candidate, distance: off }
  }
  return best?.candidate
}

/** Letters that have to be added, removed, changed or swapped with their neighbour. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const other = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const min = Math.min(other, (row[j] as number) + 1, (next[j - 1] as number) + 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next.push(isSwapped ? Math.min(min, (before[j - 2] as number) + 1) : min)
    }
    before = row
    row = next
  }
  return row[b.length] as number
}
