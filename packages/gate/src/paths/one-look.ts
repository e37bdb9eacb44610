import { lstatSync, type Stats, statSync } from 'node:fs'

interface Seen {
  readonly entries: Map<string, Stats | undefined>
  readonly targets: Map<string, Stats | undefined>
}

let seen: Seen | undefined

/**
 * Looks at each file once while `judge` runs. A judgement asks about the same folders many times, and half of its time
 * goes into asking the system. `judge` is synchronous, so what it saw stays as true as it was: whoever uses the verdict
 * looks again.
 */
export function oneLook<T>(judge: () => T): T {
  if (seen !== undefined) return judge()
  seen = { entries: new Map(), targets: new Map() }
  try {
    return judge()
  } finally {
    seen = undefined
  }
}

/** What is at a path: of a link, the link. Nothing when there is nothing. Throws what the system says otherwise. */
export function entryAt(place: string): Stats | undefined {
  return remember(seen?.entries, place, lstatSync)
}

/** What a path leads to, through links. Nothing when there is nothing. Throws what the system says otherwise. */
export function targetAt(place: string): Stats | undefined {
  return remember(seen?.targets, place, statSync)
}

function remember(
  known: Map<string, Stats | undefined> | undefined,
  place: string,
  look: typeof statSync,
): Stats | undefined {
  if (known?.has(place)) return known.get(place)
  const stats = look(place, { throwIfNoEntry: false })
  known?.set(place, stats)
  return stats
}

/** Like `targetAt`, and nothing as well where the system does not say. */
export function statsAt(place: string): Stats | undefined {
  try {
    return targetAt(place)
  } catch {
    return undefined
  }
}
