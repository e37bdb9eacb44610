import type { StoredSession } from '@cadre/core'
import { standingOf } from './standing.ts'

/** Whether something in the tree of a session that nobody runs can go on without a person. */
export async function isReady(
  stored: StoredSession,
  read: (session: string) => Promise<StoredSession | undefined>,
  seen = new Set<string>(),
): Promise<boolean> {
  const { id, root } = stored.spec
  seen.add(id)
  // A child belongs to its run for as long as that goes on.
  if (root !== id && !seen.has(root)) {
    const above = await read(root)
    if (above !== undefined && standingOf(above).kind !== 'ended') return isReady(above, read, seen)
  }
  const standing = standingOf(stored)
  if (standing.kind !== 'delegates') return standing.kind === 'ready'
  for (const child of standing.children) {
    if (seen.has(child)) continue
    const below = await read(child)
    const isDone = below === undefined || standingOf(below).kind === 'ended'
    if (isDone || (await isReady(below, read, seen))) return true
  }
  return false
}
