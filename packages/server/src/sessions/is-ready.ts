import type { StoredSession } from '@cadre/core'
import { standingOf } from './standing.ts'

type Read = (session: string) => Promise<StoredSession | undefined>

/** Whether something in the tree of a session that nobody runs can go on without a person. */
export async function isReady(stored: StoredSession, read: Read): Promise<boolean> {
  const { id, root } = stored.spec
  const above = root === id ? undefined : await read(root)
  // A child belongs to its run for as long as that goes on.
  const isOfRun = above !== undefined && standingOf(above).kind !== 'ended'
  return isReadyBelow(isOfRun ? above : stored, read, new Set())
}

async function isReadyBelow(stored: StoredSession, read: Read, seen: Set<string>): Promise<boolean> {
  seen.add(stored.spec.id)
  const standing = standingOf(stored)
  if (standing.kind === 'ready' || standing.kind === 'ended') return standing.kind === 'ready'
  for (const child of standing.children) {
    if (seen.has(child)) continue
    const below = await read(child)
    if (below === undefined || hasNews(stored, below) || (await isReadyBelow(below, read, seen))) return true
  }
  return false
}

/** The child has ended, and whoever waits for it does not know. Whoever was put to sleep knows what had ended by then. */
function hasNews({ status, updated }: StoredSession, child: StoredSession): boolean {
  return standingOf(child).kind === 'ended' && (status !== 'sleeping' || child.updated > updated)
}
