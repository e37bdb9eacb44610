import type { Difference, DifferenceKind } from './difference.ts'
import type { Fixture } from './fixture.ts'
import { laneOf } from './lane.ts'

/** The kinds of difference after which a session leaves the recorded path. A changed text does not have this effect. */
const leaves: readonly DifferenceKind[] = [
  'session',
  'decision',
  'call',
  'result',
  'message',
  'round',
  'report',
]

/** Marks the differences that an earlier one may have caused. */
export function markLaterDifferences(
  differences: readonly Difference[],
  fixture: Fixture,
): readonly Difference[] {
  const leaving = differences.filter(({ kind }) => leaves.includes(kind))
  const first = new Map<number, Difference>()
  for (const difference of leaving)
    if (!first.has(difference.session)) first.set(difference.session, difference)
  const startedAt = (number: number): { parent: number; round: number } | undefined => {
    const parent = fixture.sessions[number - 1]?.parent
    const lane = parent && fixture.sessions[parent.session - 1]
    if (parent === undefined || lane === undefined) return undefined
    const index = laneOf(lane).replies.findIndex(({ tool_calls = [] }) =>
      tool_calls.some(({ id }) => id === parent.call),
    )
    return { parent: parent.session, round: index + 1 }
  }
  const isBelow = (number: number, above: number): boolean => {
    for (let at = startedAt(number)?.parent; at !== undefined; at = startedAt(at)?.parent)
      if (at === above) return true
    return false
  }
  const hasLeft = (number: number): boolean => {
    const start = startedAt(number)
    if (start === undefined) return false
    const before = first.get(start.parent)
    return (before !== undefined && before.round <= start.round) || hasLeft(start.parent)
  }
  const isLater = (difference: Difference): boolean => {
    const { kind, session } = difference
    if (!leaves.includes(kind)) return false
    const own = first.get(session)
    if (own !== undefined && own !== difference) return true
    if (session === 0 || hasLeft(session)) return leaving.length > 1
    const isTold = kind === 'result' || kind === 'message' || kind === 'report'
    return isTold && [...first.keys()].some((other) => isBelow(other, session))
  }
  return differences.map((difference) =>
    isLater(difference) ? { ...difference, isAfterDifference: true } : difference,
  )
}
