/**
 * The only place in the daemon that starts and resumes sessions. It combines the queue of requests, their delivery, and the runs;
 * each of these files states what it owns.
 */
import type { CadreEvent, StoredSession } from '@cadre/core'
import type { LiveViewer } from '../remote/live-watch.ts'
import type { MessageWork, SessionKeeper, SessionStart } from '../session-keeper.ts'
import { cancelSession } from './cancel-session.ts'
import { Deliveries, hasReceived } from './deliveries.ts'
import { DeliveryQueue, isQueuedRequest, startRequestOf } from './delivery-queue.ts'
import { readSessionState } from './read-session-state.ts'
import { SessionRuns, type SessionRunsOptions } from './session-runs.ts'
import { requireAgent } from './start-request.ts'

export type KeeperOptions = Omit<SessionRunsOptions, 'trouble'> & Partial<Pick<SessionRunsOptions, 'trouble'>>

/** The keeper of a process that runs the sessions itself, with additional methods. */
export interface Keeper extends SessionKeeper {
  /** Receives every event of sessions in this process. */
  observe(event: CadreEvent): void
  /** Returns whether this process writes the file of this session. */
  isOpenHere(session: string): boolean
  /** Names somebody who may watch sessions that run in other processes. */
  showTo?(viewer: LiveViewer): void
  /** Sends a person's changes in a session file to the process that runs the session. Absent if sessions run in this process. */
  edited?(session: string): void
  /** Cancels a session that runs in another process for this keeper, unless it has ended. Returns false if it is not this keeper's. */
  cancelElsewhere?(session: string): boolean
  /** Starts no more runs; `pauses` also pauses running ones. Resolves when nothing runs, or when `signal` aborts. */
  hold(pauses: boolean, signal?: AbortSignal): Promise<void>
  /** Starts runs again, paused ones first. */
  release(): void
  /** Resumes what failed because of the system, after it has recovered. */
  recover(): Promise<void>
  /** Retries failed deliveries, and resumes sessions that could not be resumed before. Call it periodically. */
  retry(): Promise<void>
  /** Delivers the requests of an earlier process. */
  restore(): void
  /** Drops waiting runs and stops delivering. Queued requests stay on disk. */
  clear(): void
  /** Sessions that are open here or queued to start, with their agents. */
  open(): Iterable<readonly [session: string, agent: string]>
  /** Sessions to resume when another process no longer runs their tree, with its root. */
  elsewhere(): ReadonlyMap<string, string>
  counts(): { readonly running: readonly string[]; readonly queued: readonly string[] }
}

export function createSessionKeeper(options: KeeperOptions): Keeper {
  const { home, engine, workspace, note, problems, rested, trouble = () => false } = options
  const queue = new DeliveryQueue(home, isQueuedRequest)
  const runs = new SessionRuns({ ...options, trouble })
  const { jobs } = runs
  const parts = () => options.parts().parts
  const deliveries = new Deliveries({ queue, runs, engine, workspace, parts, trouble, note, problems })
  const loadQueue = () => {
    try {
      queue.load()
    } catch (error) {
      // `recover` loads it again.
      if (!trouble(error)) throw error
    }
  }
  loadQueue()
  const isToBeStarted = (session: string) =>
    queue.of(session).some((queued) => startRequestOf(queued) !== undefined)
  const deliveryTo = (stored: StoredSession | undefined, session: string, message: string) => {
    if (stored !== undefined && hasReceived(stored, message)) return 'delivered'
    return queue.hasMessage(session, message) ? 'queued' : 'unknown'
  }

  return {
    async start(request) {
      const { id } = request
      const isUnderWay = () => jobs.has(id) || runs.isStalled(id) || isToBeStarted(id)
      if (isUnderWay()) return
      if ((await engine.read(id)) !== undefined) return runs.resume(id)
      await requireAgent(request, parts())
      if (!isUnderWay()) deliveries.add({ kind: 'start', request })
    },
    async tell(session: string, work: MessageWork, begin?: SessionStart) {
      const stored = await engine.read(session)
      if (deliveryTo(stored, session, work.message) !== 'unknown') return 'queued'
      if (stored !== undefined) runs.requireHere(stored)
      else if (!isToBeStarted(session)) {
        if (begin === undefined) return 'missing'
        await requireAgent(begin, parts())
      }
      // Another caller may have queued it during the reads above.
      if (!queue.hasMessage(session, work.message))
        deliveries.add({ kind: 'tell', session, work, ...(begin && { begin }) })
      return 'queued'
    },
    async delivery(session, message) {
      return deliveryTo(await engine.read(session), session, message)
    },
    resume: (session) => runs.resume(session),
    resumeOnRequest: (session) => runs.resumeOnRequest(session),
    cancel: (session, reason) => cancelSession(session, reason, { engine, runs, deliveries, note, rested }),
    state: (session) => readSessionState(session, { engine, runs, queue, deliveries }),
    onRest: (listener) => runs.onRest(listener),
    observe: (event) => jobs.observe(event),
    isOpenHere: (session) => jobs.isOpen(session),
    hold: (pauses, signal) => jobs.hold(pauses, signal),
    release() {
      runs.release()
      // The new configuration may allow deliveries that failed before.
      deliveries.serveAll()
    },
    clear() {
      deliveries.close()
      jobs.clear()
    },
    async recover() {
      loadQueue()
      deliveries.serveAll()
      await runs.recover()
    },
    async retry() {
      deliveries.retry()
      await runs.resumeLate()
      await runs.adoptOrphans()
    },
    restore: () => deliveries.serveAll(),
    open: () => [
      ...jobs.agents(),
      ...queue.sessions().flatMap((session) =>
        queue.of(session).flatMap((queued) => {
          const start = startRequestOf(queued)
          return start === undefined ? [] : [[session, start.agent] as const]
        }),
      ),
    ],
    elsewhere: () => runs.elsewhere(),
    counts() {
      const { running, queued } = jobs.counts()
      const undelivered = queue.sessions().filter((session) => !jobs.isOpen(session))
      const waiting = new Set([...queued, ...undelivered])
      return { running, queued: [...waiting].filter((session) => !running.includes(session)) }
    },
  }
}
