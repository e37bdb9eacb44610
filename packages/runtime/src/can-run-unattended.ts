import { isEndedStatus, type StoredSession } from '@cadre/core'
import { idleStateOf } from './idle-state.ts'

type Read = (session: string) => Promise<StoredSession | undefined>

/** Returns whether the tree of a session that is not running has work that needs no person. */
export async function canRunUnattended(stored: StoredSession, read: Read): Promise<boolean> {
  const { id, root } = stored.spec
  const above = root === id ? undefined : await read(root)
  // Until the root has ended, a child that has ended is resumed as part of its tree.
  const isOfRun = above !== undefined && idleStateOf(above).kind !== 'ended'
  if (isOfRun && (await isReadyBelow(above, read, new Set()))) return true
  // A message may have woken a child that its run does not wait for.
  return (!isOfRun || !isEndedStatus(stored.status)) && isReadyBelow(stored, read, new Set())
}

async function isReadyBelow(stored: StoredSession, read: Read, seen: Set<string>): Promise<boolean> {
  seen.add(stored.spec.id)
  const standing = idleStateOf(stored)
  if (standing.kind === 'ready' || standing.kind === 'ended') return standing.kind === 'ready'
  for (const child of standing.children) {
    if (seen.has(child)) continue
    const below = await read(child)
    if (below === undefined || hasUnseenResult(stored, below) || (await isReadyBelow(below, read, seen)))
      return true
  }
  return false
}

/** The child has ended and its parent has not seen it. A sleeping parent has seen everything that ended before it fell asleep. */
function hasUnseenResult({ status, updated }: StoredSession, child: StoredSession): boolean {
  return idleStateOf(child).kind === 'ended' && (status !== 'sleeping' || child.updated > updated)
}
