import { closeSync, constants, openSync, readSync, statSync } from 'node:fs'

/** Above this a journal is not committed each time a session comes to rest, only when it has grown by half. */
const large = 4_000_000

export interface Committed {
  /** How large it was when it was last committed; 0 when it never was. */
  readonly size: number
}

/** Whether a session's file is to be committed as it is: while it grows it would be stored again and again. */
export function isAtRest(file: string, committed: () => Committed): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  // One that is gone has nothing to grow.
  if (size === undefined) return true
  if (statusIn(file) === 'active') return false
  return size < large || size >= committed().size * 1.5
}

/** It stands near the beginning; in a file that somebody else wrote there may be none. */
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
