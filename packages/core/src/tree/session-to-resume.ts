import { type Engine, isEndedStatus, type StoredSession } from '../ports/engine.ts'
import { foldEntries, openCalls } from '../session/state.ts'

/**
 * Returns the session to resume so that `stored` continues: the highest one above it, if each on the way waits for the one below. Nobody
 * waits for a child that a message has woken, so it continues alone. A child that has ended belongs to its run: until the run has finished,
 * resuming the child resumes the run.
 */
export async function sessionToResume(
  stored: StoredSession,
  root: StoredSession | undefined,
  engine: Pick<Engine, 'read'>,
): Promise<StoredSession> {
  let top = stored
  for (let above = await parentOf(top, engine); above !== undefined; above = await parentOf(top, engine)) {
    if (!canContinue(above) || !isAwaited(top.spec.id, above)) break
    top = above
  }
  if (top.spec.id === root?.spec.id || !isEndedStatus(top.status)) return top
  if (root === undefined || !isUnfinished(root)) return stored
  return canContinue(root) || hasEnded(stored) ? root : stored
}

/** The session did not finish, or a person has added to it since. */
export function isUnfinished({ outcome, entries, spec }: StoredSession): boolean {
  if (outcome !== 'completed' && outcome !== 'incomplete') return true
  return !hasEnded({ entries, spec })
}

function hasEnded({ entries, spec }: Pick<StoredSession, 'entries' | 'spec'>): boolean {
  return foldEntries(entries, spec.id).ended !== undefined
}

async function parentOf(
  { spec }: StoredSession,
  engine: Pick<Engine, 'read'>,
): Promise<StoredSession | undefined> {
  return spec.parent && engine.read(spec.parent.session)
}

/** A person's cancel is permanent. */
function canContinue(stored: StoredSession): boolean {
  if (!isUnfinished(stored)) return false
  const { ended, cancelledBy } = foldEntries(stored.entries, stored.spec.id)
  return ended?.status !== 'cancelled' || cancelledBy !== 'person'
}

function isAwaited(child: string, { entries, spec }: StoredSession): boolean {
  const state = foldEntries(entries, spec.id)
  return (
    openCalls(state).some(({ started }) => started?.child === child) ||
    [...state.background.values()].includes(child) ||
    [...state.teams.values()].some(({ members }) => [...members.values()].includes(child))
  )
}
