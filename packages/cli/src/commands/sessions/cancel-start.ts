import { existsSync } from 'node:fs'
import { CadreError } from '@cadre/core'
import { type Home, isDaemonRunning, requestCancel } from '@cadre/home'
import type { Sessions } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { engineSettings } from '../engine/engine-settings.ts'
import { cancelReason, serverTimeoutMs, workerTimeoutMs } from './cancel-on-worker.ts'

interface Start {
  readonly session: string
  readonly agent: string
}

/**
 * Finds a session that the daemon is to start on a worker, and that has no file yet. `beginning` is the start of its id, and the whole id if
 * the id of a session with a file begins with it too.
 */
export async function findStart(io: Io, sessions: Sessions, beginning: string): Promise<Start | undefined> {
  const { home } = sessions
  if (beginning === '' || (await engineSettings(io, home)) === undefined) return undefined
  const { queuedStarts } = await import('@cadre/server')
  const starts = queuedStarts(home).filter(({ session }) => !existsSync(sessions.fileOf(session)))
  const exact = starts.find(({ session }) => session === beginning)
  if (exact !== undefined) return exact
  const fitting = starts.filter(({ session }) => session.startsWith(beginning))
  const isKnown = await sessions.find(beginning).then(
    () => true,
    (error: unknown) => (error as CadreError).code !== 'not_found',
  )
  return isKnown || fitting.length !== 1 ? undefined : fitting[0]
}

/**
 * Cancels a session that the daemon is to start. Returns `queued` if the server may have the start already: then the cancel is stored, and
 * sent after it.
 */
export async function cancelStart(
  io: Io,
  { home }: Sessions,
  { session, agent }: Start,
): Promise<'cancelled' | 'queued'> {
  const { dropQueuedOrders, isCancelQueued, queueCancel } = await import('@cadre/server')
  const isRunning = () => isDaemonRunning(home)
  if (isRunning()) {
    const answer = await requestCancel({ home, session, isRunning }, AbortSignal.timeout(serverTimeoutMs))
    if (answer === 'taken') return isCancelQueued(home, session) ? 'queued' : 'cancelled'
    if (isRunning())
      throw new CadreError(
        'timeout',
        `the daemon did not cancel session ${session} within ${serverTimeoutMs / 1000} seconds. Try again.`,
      )
  }
  queueCancel(home, { session, root: session, agent, reason: cancelReason })
  if (!(await isCancelledAtServer(io, home, session))) return 'queued'
  dropQueuedOrders(home, session)
  return 'cancelled'
}

/** Cancels the session at the server if the daemon has sent its start. Returns false if that is unknown. */
async function isCancelledAtServer(io: Io, home: Home, session: string): Promise<boolean> {
  const engine = await engineSettings(io, home)
  if (engine === undefined) return false
  const { createRestateKeeper } = await import('@cadre/restate')
  const { ingress, place } = engine
  const keeper = createRestateKeeper({ ingress, place, signal: AbortSignal.timeout(workerTimeoutMs) })
  try {
    if ((await keeper.state(session)).kind !== 'absent')
      await keeper.cancel(session, cancelReason, { root: session })
    return true
  } catch (error) {
    if (error instanceof CadreError) return false
    throw error
  } finally {
    keeper.close()
  }
}
