/**
 * The keeper of a daemon whose sessions run on workers, on this machine or on others. Session files are a projection of the record, so
 * everything that reads or edits them works as with sessions that run here.
 *
 * `start`, `tell`, `resumeOnRequest` and `cancel` return when the request is in the queue on disk (`RemoteDeliveries`).
 */
import { CadreError, type CadreEvent, messageOf, type RunResult, type StoredSession } from '@cadre/core'
import { canRunUnattended, idleStateOf } from '@cadre/runtime'
import type { MessageWork, SessionStart } from '../session-keeper.ts'
import type { Keeper, KeeperOptions } from '../sessions/create-session-keeper.ts'
import { hasReceived } from '../sessions/deliveries.ts'
import { DeliveryQueue, isQueuedOrder } from '../sessions/delivery-queue.ts'
import { whyNotIn } from '../sessions/foreign-workspace-reason.ts'
import { endedState } from '../sessions/kept-result.ts'
import type { RunEndListener } from '../sessions/session-runs.ts'
import { requireAgent } from '../sessions/start-request.ts'
import { createTreeComparison } from './create-tree-comparison.ts'
import { LiveWatch } from './live-watch.ts'
import { isOutage, OutageReports } from './outage-reports.ts'
import { PlaceSessions } from './place-sessions.ts'
import { RejectedEdits } from './rejected-edits.ts'
import { RemoteDeliveries } from './remote-deliveries.ts'
import { RemoteRuns } from './remote-runs.ts'
import type { RemoteTrees } from './remote-trees.ts'
import { SessionMirror } from './session-mirror.ts'
import { SessionProblems } from './session-problems.ts'
import { SessionWakes } from './session-wakes.ts'
import { TreeChecks } from './tree-checks.ts'
import { WrittenSessions } from './written-sessions.ts'

export interface RemoteKeeperOptions extends KeeperOptions {
  readonly trees: RemoteTrees
  /** The place whose workers run the sessions. */
  readonly place: string
  /** Where the workers run a session that is to work in a folder. Default: in the same folder. Throws if they cannot. */
  readonly workspaceOf?: (session: string, folder: string) => string
}

export function createRemoteKeeper(options: RemoteKeeperOptions): Keeper {
  const { home, engine, trees, place, problems, note, rested } = options
  const { workspaceOf = (_, folder) => folder } = options
  const queue = new DeliveryQueue(home, isQueuedOrder)
  queue.load()
  const listeners = new Set<RunEndListener>()
  let live: LiveWatch | undefined
  let isClosed = false

  const problemsOfSessions = new SessionProblems(problems)
  const outages = new OutageReports()
  const reportDelivery = outages.of(problemsOfSessions.reporter())
  const reportWake = outages.of(problemsOfSessions.reporter())
  const reportRun = outages.of(problemsOfSessions.reporter())
  const reportCheck = outages.of(problemsOfSessions.reporter())
  const sessions = new PlaceSessions({ home, engine, place })
  const edits = new RejectedEdits(problems)
  const mirror = new SessionMirror({
    ...{ home, engine, trees, place },
    rejected: (session, message, kept) => edits.add(session, message, kept),
  })
  const runs = new RemoteRuns({
    ...{ engine, trees, mirror, report: reportRun },
    async isShown(root) {
      const record = await trees.read(root)
      return record !== undefined && sessions.shows(record)
    },
    checkUntilWritten: (root, agent) => void checks.check(root, agent),
    synced: () => deliveries.serveAll(),
    ended(root, result, members) {
      deliveries.rested(members, result)
      wakes.ended(root, result)
      if (result !== undefined) finish(root, result)
      rested(members)
      deliveries.serveAll()
    },
  })
  const deliveries = new RemoteDeliveries({
    ...options,
    ...{ queue, sessions, runs, mirror, workspaceOf, report: reportDelivery },
  })
  const requirePlace = (root: string, folder: string) => {
    const why = whyNotIn({ root, workspace: folder }, options)
    if (why !== undefined) throw new CadreError('configuration', why)
    workspaceOf(root, folder)
  }
  const written = new WrittenSessions({
    ...options,
    hasCheckouts: options.workspaceOf !== undefined,
    ...{ deliveries, requirePlace, report: reportDelivery },
  })
  const wakes = new SessionWakes({ sessions, trees, runs, mirror, deliveries, report: reportWake })
  const checks = new TreeChecks({ check: (root, agent) => runs.check(root, agent), report: reportCheck })
  const comparison = createTreeComparison(sessions, checks)

  const finish = (root: string, result: RunResult) => {
    if (deliveries.finished(root, result)) return
    for (const listener of listeners) listener(root, result)
  }
  /** Where a session is, and whether it runs or can continue, as far as its file and its tree show. */
  const locate = (session: string) => {
    const stored = sessions.readNow(session)
    const followed = runs.rootOf(session)
    const root = stored?.spec.root ?? followed ?? session
    const isOpen = stored === undefined ? runs.isOrdered(root) : idleStateOf(stored).kind !== 'ended'
    return { stored, isOpen, target: { session, root, agent: stored?.spec.agent.name ?? '' } }
  }
  const cancel = (session: string, reason: string) => {
    const { stored, isOpen, target } = locate(session)
    wakes.cancel(session, target.root)
    return deliveries.cancel(target, reason, { stored, isOpen })
  }
  const deliveryTo = (stored: StoredSession | undefined, session: string, message: string) => {
    if (stored !== undefined && hasReceived(stored, message)) return 'delivered'
    return deliveries.hasMessage(session, message) ? 'queued' : 'unknown'
  }

  return {
    isRemote: true,
    async start(request) {
      const { id } = request
      if (runs.has(id) || deliveries.isToBeStarted(id)) return
      if (sessions.read(id) !== undefined) return wakes.resume(id)
      await requireAgent(request, options.parts().parts)
      if (!deliveries.isToBeStarted(id)) deliveries.add({ kind: 'start', request }, id)
    },
    async tell(session: string, work: MessageWork, begin?: SessionStart) {
      const stored = sessions.read(session)
      if (deliveryTo(stored, session, work.message) !== 'unknown') return 'queued'
      if (stored !== undefined) sessions.requireHere(session)
      else if (!deliveries.isToBeStarted(session)) {
        if (begin === undefined) return 'missing'
        await requireAgent(begin, options.parts().parts)
      }
      if (!deliveries.hasMessage(session, work.message))
        deliveries.add({ kind: 'tell', session, work, ...(begin && { begin }) }, session)
      return 'queued'
    },
    delivery: async (session, message) => deliveryTo(sessions.read(session), session, message),
    async resume(session) {
      if (!(await written.start(session))) await wakes.resume(session)
    },
    resumeOnRequest: (session) => wakes.resumeOnRequest(session),
    async cancel(session, reason) {
      // Rejects if its file cannot be read: it may not have ended.
      if (runs.rootOf(session) === undefined) sessions.read(session)
      const { isOpen, target } = locate(session)
      // Rejects if another process runs it.
      if (isOpen) await runs.expect(target.root, target.agent, session)
      let isCancelled = false
      try {
        isCancelled = cancel(session, reason)
      } finally {
        if (!isCancelled) runs.unexpect(target.root, session)
      }
      if (!isCancelled) return false
      note({ type: 'session.cancelled', message: `${session} was cancelled: ${reason}`, session, reason })
      return true
    },
    async state(session) {
      const running = (stuck: string | undefined) =>
        ({ kind: 'running', ...(stuck !== undefined && { stuck }) }) as const
      let stored: StoredSession | undefined
      try {
        stored = sessions.read(session)
      } catch (error) {
        return { kind: 'broken', message: messageOf(error) }
      }
      if (stored === undefined) {
        if (deliveries.isToBeStarted(session)) return running(deliveries.blockedReason(session))
        return runs.has(session) ? running(undefined) : { kind: 'absent' }
      }
      if (runs.has(stored.spec.root)) return running(undefined)
      if (deliveries.isPending(session)) return running(deliveries.blockedReason(session))
      if (idleStateOf(stored).kind === 'ended') return endedState(stored)
      return (await canRunUnattended(stored, sessions.readIfPossible))
        ? running(undefined)
        : { kind: 'waiting' }
    },
    onRest(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    observe: (_event: CadreEvent) => {},
    isOpenHere: (session) => runs.rootOf(session) !== undefined,
    showTo(viewer) {
      live = new LiveWatch(trees, viewer)
    },
    edited(session) {
      if (isClosed || !mirror.isEdited(session)) return
      void wakes.pushEdit(session).catch((error: unknown) => reportWake(session, messageOf(error)))
    },
    cancelElsewhere(session) {
      const { stored } = locate(session)
      if (stored !== undefined && !sessions.isHere(session)) return false
      return cancel(session, 'a person cancelled it') || stored !== undefined
    },
    async hold() {
      deliveries.hold()
    },
    release: () => deliveries.release(),
    async recover() {
      queue.load()
      deliveries.serveAll()
    },
    async retry() {
      await written.retry()
      deliveries.serveAll()
      runs.tick()
      checks.tick()
      edits.clearSolved()
      live?.tick(runs.roots())
    },
    restore() {
      const compare = () =>
        void comparison
          .compareAll()
          .catch((error: unknown) =>
            problems.report('engine', 'config.yaml', [{ severity: 'error', message: messageOf(error) }]),
          )
      trees.onProblem?.((message) => {
        if (!isOutage(message)) outages.clear()
        problems.report('engine', '[engine]', message === undefined ? [] : [{ severity: 'error', message }])
      })
      // A command, or another daemon, may continue or end a tree that this daemon does not follow.
      trees.onOtherChange((root) => {
        if (root === undefined) return compare()
        const stored = sessions.unfinished(root)
        if (stored !== undefined) void checks.check(root, stored.spec.agent.name)
      })
    },
    clear() {
      isClosed = true
      deliveries.close()
      wakes.close()
      comparison.close()
      live?.close()
      checks.close()
      runs.close()
    },
    open: () => [...runs.agents(), ...deliveries.starting()],
    elsewhere: () => new Map(),
    counts() {
      const running = isClosed ? [] : runs.roots()
      return {
        running,
        queued: deliveries.sessions().filter((session) => runs.rootOf(session) === undefined),
      }
    },
  }
}
