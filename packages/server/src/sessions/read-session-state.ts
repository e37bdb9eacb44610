import { messageOf, type StoredSession } from '@cadre/core'
import { systemErrorCode } from '@cadre/disk'
import type { FileEngine } from '@cadre/journal'
import { canRunUnattended, idleStateOf } from '@cadre/runtime'
import type { KeptSessionState } from '../session-keeper.ts'
import { type Deliveries, hasReceived } from './deliveries.ts'
import { type DeliveryQueue, startRequestOf } from './delivery-queue.ts'
import { endedState } from './kept-result.ts'
import type { SessionRuns } from './session-runs.ts'

export interface SessionStateOptions {
  readonly engine: Pick<FileEngine, 'read'>
  readonly runs: SessionRuns
  readonly queue: DeliveryQueue
  readonly deliveries: Deliveries
}

/** The state of a session, from its run, its queue and its record. */
export async function readSessionState(
  session: string,
  { engine, runs, queue, deliveries }: SessionStateOptions,
): Promise<KeptSessionState> {
  const { jobs } = runs
  const isUnderWay = () => jobs.of(session) !== undefined || jobs.isOpen(session) || runs.isStalled(session)
  if (isUnderWay()) return { kind: 'running' }
  let stored: StoredSession | undefined
  try {
    stored = await engine.read(session)
  } catch (error) {
    if (systemErrorCode(error) !== undefined) throw error
    return { kind: 'broken', message: messageOf(error) }
  }
  const running = (why: string | undefined): KeptSessionState => ({
    kind: 'running',
    ...(why !== undefined && { stuck: why }),
  })
  const queued = queue.of(session)
  if (stored === undefined) {
    if (queued.some((one) => startRequestOf(one) !== undefined)) return running(deliveries.blockedBy(session))
    return { kind: isUnderWay() ? 'running' : 'absent' }
  }
  const { root } = stored.spec
  if (jobs.has(root)) return { kind: 'running' }
  const pid = runs.ownerOf(root)
  if (pid !== undefined) return { kind: 'elsewhere', pid }
  // It continues with its undelivered messages.
  const isTold = ({ request }: (typeof queued)[number]) =>
    request.kind === 'tell' && !hasReceived(stored, request.work.message)
  if (queued.some(isTold)) return running(deliveries.blockedBy(session))
  if (idleStateOf(stored).kind === 'ended') return endedState(stored)
  if (!(await canRunUnattended(stored, (id) => runs.readOr(id)))) return { kind: 'waiting' }
  return running(runs.stuckBy(session))
}
