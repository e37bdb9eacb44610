import { CadreError, isEndedStatus, type StoredSession } from '@cadre/core'
import { systemErrorCode } from '@cadre/disk'
import { isDaemonRunning, requestCancel } from '@cadre/home'
import type { RestateKeeper } from '@cadre/restate'
import type { Sessions } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { engineSettings, type RestateSettings } from '../engine/engine-settings.ts'

export type CancelledOnWorker =
  /** It had ended before the request took effect. */
  | { readonly kind: 'ended'; readonly outcome: string }
  | { readonly kind: 'cancelled' }
  /** The request is stored, and the session has not ended yet. */
  | { readonly kind: 'sent' }
  /** The server has the request, and no worker has answered. */
  | { readonly kind: 'queued' }
  /** The request is in the home, because the server does not answer. */
  | { readonly kind: 'stored'; readonly reason: string }

/** How long a worker may take to answer, and then to cancel the session. */
export const workerTimeoutMs = 5_000
export const serverTimeoutMs = 10_000
export const cancelReason = 'a person cancelled it'

/**
 * Cancels a session that the workers of a place run. If no daemon is running, the Restate server stores the request, so it needs neither a
 * daemon nor a worker. If the server does not answer, the request is stored in the home for the daemon.
 */
export async function cancelOnWorker(
  io: Io,
  sessions: Sessions,
  { spec: { id, root, agent } }: StoredSession,
  place: string,
): Promise<CancelledOnWorker> {
  const { home } = sessions
  const { ingress } = await requirePlace(io, sessions, id, place)
  const { createRestateKeeper } = await import('@cadre/restate')
  const withKeeper = async <T>(ms: number, work: (keeper: RestateKeeper) => Promise<T>): Promise<T> => {
    const keeper = createRestateKeeper({ ingress, place, signal: AbortSignal.timeout(ms) })
    try {
      return await work(keeper)
    } finally {
      keeper.close()
    }
  }
  /** Only a worker can read a record. */
  const ifAnswered = <T>(work: (keeper: RestateKeeper) => Promise<T>): Promise<T | 'unanswered'> =>
    withKeeper(workerTimeoutMs, work).catch((error: unknown) => {
      if (error instanceof CadreError && error.code === 'timeout') return 'unanswered'
      throw error
    })
  /** The daemon writes the files of trees that it follows. */
  const updateFiles = () =>
    ifAnswered(async (keeper) => {
      if (sessions.owner(root) !== undefined) return
      const { SessionMirror } = await import('@cadre/server')
      await new SessionMirror({ home, engine: sessions.engine, trees: keeper, place }).sync(root)
    }).catch((error: unknown) => {
      if (!(error instanceof CadreError && error.code === 'owned')) throw error
    })

  const before = await orFailure(() => ifAnswered((keeper) => readNow(keeper, id)))
  const isRunning = () => isDaemonRunning(home)
  /** A daemon that is running owns the queue, and has not answered. */
  const store = async (failure: CadreError) => {
    if (isRunning()) throw failure
    const { queueCancel } = await import('@cadre/server')
    queueCancel(home, { session: id, root, agent: agent.name, reason: cancelReason })
  }
  // It also drops what was requested before, which could continue even an ended session, and writes the files afterwards.
  const request = () => requestCancel({ home, session: id, isRunning }, AbortSignal.timeout(serverTimeoutMs))
  // On a full disk, the server can still cancel the session.
  const isTaken = isRunning() && (await request().catch(unlessSystemFails)) === 'taken'
  if (before instanceof CadreError) {
    if (!isTaken) await store(before)
    return { kind: 'stored', reason: before.message }
  }
  if (before !== 'unanswered' && before !== undefined && isEndedStatus(before.status)) {
    await updateFiles()
    return { kind: 'ended', outcome: before.outcome ?? before.status }
  }
  if (!isTaken) {
    const failure = await orFailure(async () => {
      await withKeeper(serverTimeoutMs, (keeper) => keeper.cancel(id, cancelReason, { root }))
    })
    if (failure !== undefined) {
      await store(failure)
      return { kind: 'stored', reason: failure.message }
    }
    if (!isRunning()) {
      const { dropQueuedOrders } = await import('@cadre/server')
      dropQueuedOrders(home, id)
    }
  }
  if (before === 'unanswered') return { kind: 'queued' }
  const after = await ifAnswered(async (keeper) => {
    for (;;) {
      const now = await readNow(keeper, id)
      if (now !== undefined && isEndedStatus(now.status)) return now
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  })
  if (after === 'unanswered') return { kind: 'sent' }
  await updateFiles()
  return after.outcome === 'cancelled'
    ? { kind: 'cancelled' }
    : { kind: 'ended', outcome: after.outcome ?? after.status }
}

/** Returns the error if the server cannot be reached or does not answer. */
async function orFailure<T>(work: () => Promise<T>): Promise<T | CadreError> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CadreError && (error.code === 'backend' || error.code === 'timeout')) return error
    throw error
  }
}

function unlessSystemFails(error: unknown): undefined {
  if (systemErrorCode(error) === undefined) throw error
}

/** A running tree archives its record only now and then. */
async function readNow(keeper: RestateKeeper, id: string): Promise<StoredSession | undefined> {
  if ((await keeper.rootOf(id)) === undefined) return undefined
  await keeper.refresh(id)
  return keeper.read(id)
}

async function requirePlace(io: Io, { home }: Sessions, id: string, place: string): Promise<RestateSettings> {
  const engine = await engineSettings(io, home)
  if (engine?.place === place) return engine
  const now = engine === undefined ? 'config.yaml has no engine' : `engine.place is ${engine.place}`
  const fix = engine === undefined ? `configure engine with place ${place}` : `set engine.place to ${place}`
  throw new CadreError(
    'configuration',
    `session ${id} runs on the workers of place ${place}, but ${now}. To cancel it, ${fix}.`,
    { where: home.at('config.yaml') },
  )
}
