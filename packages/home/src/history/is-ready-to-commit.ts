import { closeSync, constants, openSync, readSync, statSync } from 'node:fs'

/** A larger journal is committed only when it has grown by half, not each time its session is suspended. */
const large = 4_000_000

export interface Committed {
  /** Its size in the last commit, or 0. */
  readonly size: number
}

/** Returns whether to commit a session file now. A growing file would be stored repeatedly. */
export function isReadyToCommit(file: string, committed: () => Committed): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  // A deleted file no longer grows.
  if (size === undefined) return true
  if (statusIn(file) === 'active') return false
  return size < large || size >= committed().size * 1.5
}

/** The status is near the beginning. Files of other programs may have none. */
function statusIn(file: string): string | undefined {
  const bytes = Buffer.alloc(4_096)
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const length = readSync(fd, bytes, 0, bytes.length, 0)
    return /^status: (\w+)/m.exec(bytes.toString('utf8', 0, length))?.[1]
  } finally {
    closeSync(fd)
  }
}
