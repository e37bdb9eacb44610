/** The names most like a misspelt one, best first and each once; none when nothing is close. */
export function nearest(name: string, known: Iterable<string>, most = 3): string[] {
  const wanted = name.toLowerCase()
  const reach = Math.max(2, Math.floor(wanted.length / 3))
  return [...new Set(known)]
    .map((candidate) => ({ candidate, distance: distance(wanted, candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= reach || candidate.toLowerCase().includes(wanted))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

/** `; did you mean a, b?`, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const names = nearest(name, known)
  return names.length === 0 ? '' : `; did you mean ${names.join(', ')}?`
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
