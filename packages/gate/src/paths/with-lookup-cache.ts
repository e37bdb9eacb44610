import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'

interface Lookups {
  readonly entries: Map<string, Stats | undefined>
  readonly targets: Map<string, Stats | undefined>
  readonly realPaths: Map<string, string | undefined>
}

let lookups: Lookups | undefined

/**
 * Caches file system lookups while `judge` runs. A judgement looks up the same folders many times, which took half of its time.
 * `judge` is synchronous, so the cache is never older than the verdict. Code that acts on the verdict looks again.
 */
export function withLookupCache<T>(judge: () => T): T {
  if (lookups !== undefined) return judge()
  lookups = { entries: new Map(), targets: new Map(), realPaths: new Map() }
  try {
    return judge()
  } finally {
    lookups = undefined
  }
}

/** Like `lstat`; `undefined` when the path does not exist. Throws other system errors. */
export function entryAt(place: string): Stats | undefined {
  return remember(lookups?.entries, place, lstatSync)
}

/** Resolves links; `undefined` when the path does not exist. Throws other system errors. */
export function targetAt(place: string): Stats | undefined {
  return remember(lookups?.targets, place, statSync)
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

/** Like `targetAt`, but `undefined` on every system error. */
export function statsAt(place: string, look = targetAt): Stats | undefined {
  try {
    return look(place)
  } catch {
    return undefined
  }
}

/** The path without links, as the system names it; `undefined` on every system error. */
export function realPathAt(place: string): string | undefined {
  if (lookups?.realPaths.has(place)) return lookups.realPaths.get(place)
  let real: string | undefined
  try {
    real = realpathSync.native(place)
  } catch {
    real = undefined
  }
  lookups?.realPaths.set(place, real)
  return real
}
