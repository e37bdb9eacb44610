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

/** How long a worker may take to answer, and then to cancel the session. */
export const workerTimeoutMs = 5_000
const serverTimeoutMs = 10_000
const reason = 'a person cancelled it'

/**
 * Cancels a session that the workers of a place run. If no daemon is running, the Restate server stores the request, so it needs neither a
 * daemon nor a worker.
 */
export async function cancelOnWorker(
  io: Io,
  sessions: Sessions,
  { spec: { id, root } }: StoredSession,
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

  const before = await ifAnswered((keeper) => readNow(keeper, id))
  const isRunning = () => isDaemonRunning(home)
  // It also drops what was requested before, which could continue even an ended session, and writes the files afterwards.
  const request = () => requestCancel({ home, session: id, isRunning }, AbortSignal.timeout(serverTimeoutMs))
  // On a full disk, the server can still cancel the session.
  const isTaken = isRunning() && (await request().catch(unlessSystemFails)) === 'taken'
  if (before !== 'unanswered' && before !== undefined && isEndedStatus(before.status)) {
    await updateFiles()
    return { kind: 'ended', outcome: before.outcome ?? before.status }
  }
  if (!isTaken) {
    await withKeeper(serverTimeoutMs, (keeper) => keeper.cancel(id, reason, { root }))
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
