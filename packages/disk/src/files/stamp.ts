import { type Stats, statSync } from 'node:fs'

/** Identifies a state of a file or folder. Differs after every change. */
export interface Stamp {
  readonly is: string
  /** When it last changed, in milliseconds since 1970. */
  readonly changed: number
}

const missing: Stamp = { is: 'missing', changed: 0 }
/** File system clocks are coarse: two changes within this time can have the same timestamp. */
const coarseMs = 50

export function statsAt(at: string): Stats | undefined {
  try {
    return statSync(at, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

export function stampOf(stats: Stats | undefined): Stamp {
  if (stats === undefined) return missing
  const { dev, ino, size, mtimeMs, ctimeMs } = stats
  return { is: `${dev}-${ino}-${size}-${mtimeMs}-${ctimeMs}`, changed: Math.max(mtimeMs, ctimeMs) }
}

/**
 * Returns whether a file is unchanged since `lookedAt`. A file that had just changed then may have changed again unnoticed, so this returns
 * false.
 */
export function isSame(stamp: Stamp, lookedAt: number, now: Stamp): boolean {
  return stamp.is === now.is && (stamp === missing || lookedAt - stamp.changed >= coarseMs)
}
