import type { Segment } from './segments.ts'

type SegmentsOf = (session: string) => readonly Segment[]

/**
 * The segments that determined when the run ended. Starts at the end of the run and repeatedly adds the segment that ended last before the
 * current one started. A delegation leads into the session that it started, and lasts until that session ends, even if its call returned
 * earlier. Not recursive, because trees can be very deep.
 */
export function criticalPath(segmentsOf: SegmentsOf, root: string): ReadonlySet<string> {
  const ends = endsOf(segmentsOf, root)
  const endOf = ({ to, child }: Segment) => (child === undefined ? to : Math.max(to, ends.get(child) ?? to))
  const path = new Set<string>()
  const seen = new Set<string>()
  const left: { session: string; until: number }[] = [{ session: root, until: Number.POSITIVE_INFINITY }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { session } = next
    if (seen.has(session)) continue
    seen.add(session)
    let { until } = next
    // Sorted by end, latest first. If two segments end at the same time, the one that started earlier comes first.
    const byEnd = [...segmentsOf(session)].sort((a, b) => endOf(b) - endOf(a) || a.from - b.from)
    for (const segment of byEnd) {
      const end = endOf(segment)
      if (end > until) continue
      path.add(segment.id)
      until = segment.from
      if (segment.child !== undefined) left.push({ session: segment.child, until: end })
    }
  }
  return path
}

/** When each session and everything below it has ended. */
function endsOf(segmentsOf: SegmentsOf, root: string): ReadonlyMap<string, number> {
  // A set also visits what is added meanwhile: parents come before their children.
  const order = new Set([root])
  for (const session of order)
    for (const { child } of segmentsOf(session)) if (child !== undefined) order.add(child)
  const ends = new Map<string, number>()
  for (const session of [...order].reverse()) {
    let end = Number.NEGATIVE_INFINITY
    for (const { to, child } of segmentsOf(session))
      end = Math.max(end, to, child === undefined ? to : (ends.get(child) ?? to))
    ends.set(session, end)
  }
  return ends
}
