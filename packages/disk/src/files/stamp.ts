import { type Stats, statSync } from 'node:fs'

/** How a file or a folder was: another one after every change. */
export interface Stamp {
  readonly is: string
  /** When it last changed, in milliseconds since 1970. */
  readonly changed: number
}

const missing: Stamp = { is: 'missing', changed: 0 }
/** The clocks of file systems are coarse: two changes this close together can carry the same time. */
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

/** Whether what was looked at then is the same now; something that had just changed then may have changed again unseen. */
export function isSame(stamp: Stamp, lookedAt: number, now: Stamp): boolean {
  return stamp.is === now.is && (stamp === missing || lookedAt - stamp.changed >= coarseMs)
}
