import type { RecordEvent } from '@cadre/channels'
import { CadreError } from '@cadre/core'
import type { FileEngine } from '@cadre/journal'
import { endStoredSession, idleStateOf, openChildren } from '@cadre/runtime'
import type { Deliveries } from './deliveries.ts'
import type { SessionRuns } from './session-runs.ts'

export interface CancelOptions {
  readonly engine: FileEngine
  readonly runs: SessionRuns
  readonly deliveries: Deliveries
  readonly note: RecordEvent
  readonly rested: (sessions: readonly string[]) => void
}

/** Ends a session permanently and drops its queued requests. Returns true unless it had already ended. */
export async function cancelSession(
  session: string,
  reason: string,
  { engine, runs, deliveries, note, rested }: CancelOptions,
): Promise<boolean> {
  const dropped = deliveries.drop(session)
  const isStalled = runs.forgetStalled(session)
  const isDropped = runs.jobs.drop(session) || isStalled || dropped > 0
  // Until the session is recorded, the orchestrator does not know it and could not stop it.
  await runs.jobs.running(session)?.begun
  let stored = await engine.read(session)
  const ended = () =>
    note({ type: 'session.cancelled', message: `${session} was cancelled: ${reason}`, session, reason })
  if (isDropped && stored === undefined) return true
  const root = stored?.spec.root ?? session
  const running = runs.jobs.running(root)
  if (running !== undefined) {
    if (runs.orchestrator.cancel(session, { stays: true })) {
      ended()
      if (session === root) await running.over
      return true
    }
    if (session !== root) return false
    // It is just being suspended, or has ended.
    await running.over
    stored = await engine.read(session)
  }
  if (stored === undefined || idleStateOf(stored).kind === 'ended') return false
  const pid = runs.ownerOf(root)
  if (pid !== undefined)
    throw new CadreError(
      'owned',
      `process ${pid} is running ${session}. Stop that process, then cancel the session.`,
    )
  for (const child of openChildren(stored)) {
    const below = await runs.readOr(child)
    if (below !== undefined && idleStateOf(below).kind !== 'ended')
      await endStoredSession(engine, below, reason)
  }
  await endStoredSession(engine, stored, reason)
  ended()
  if (session === root) {
    rested([session])
    return true
  }
  // The sessions that wait for it continue with this outcome, also below a run that has finished.
  await runs.resume(root)
  if (stored.spec.parent !== undefined) await runs.resume(stored.spec.parent.session)
  return true
}
