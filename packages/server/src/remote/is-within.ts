import type { StoredSession } from '@cadre/core'

/** A person may have edited a file, so that it names a session below it as its parent. */
const maxDepth = 100

/** Whether a session is `above`, or below it. */
export function isWithin(
  session: string,
  above: string,
  read: (session: string) => StoredSession | undefined,
): boolean {
  let next: string | undefined = session
  for (let depth = 0; next !== undefined && depth < maxDepth; depth++) {
    if (next === above) return true
    next = read(next)?.spec.parent?.session
  }
  return false
}
