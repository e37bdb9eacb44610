/**
 * The keeper of a daemon whose sessions run on workers, on this machine or on others. Session files are a projection of the record, so
 * everything that reads or edits them works as with sessions that run here.
 *
 * 1. `start` and `tell` return when the request is in the queue on disk. It leaves the queue when the session's file shows it, and is sent
 *    again after a restart: the ids of sessions and messages prevent a second effect.
 * 2. At most `parallel` trees run for this daemon; other new sessions wait in the queue.
 */
import { existsSync } from 'node:fs'
import { CadreError, type CadreEvent, messageOf, type RunResult, type StoredSession } from '@cadre/core'
import { currentUser } from '@cadre/disk'
import { readProjected } from '@cadre/journal'
import { canRunUnattended, idleStateOf } from '@cadre/runtime'
import type { MessageWork, SessionStart } from '../session-keeper.ts'
import type { Keeper, KeeperOptions } from '../sessions/create-session-keeper.ts'
import { hasReceived } from '../sessions/deliveries.ts'
import { DeliveryQueue, type QueuedDelivery, startRequestOf } from '../sessions/delivery-queue.ts'
import { endedState } from '../sessions/kept-result.ts'
import {
  beginTimeoutMs,
  fileOfSession,
  type RunEndListener,
  refusalIn,
  stillRunning,
} from '../sessions/session-runs.ts'
import { requireAgent } from '../sessions/start-request.ts'
import { LiveWatch } from './live-watch.ts'
import { pauseMs } from './pause.ts'
import { RemoteRuns } from './remote-runs.ts'
import type { RemoteTrees } from './remote-trees.ts'
import { SessionMirror } from './session-mirror.ts'
import { TreeChecks } from './tree-checks.ts'

export interface RemoteKeeperOptions extends KeeperOptions {
  readonly trees: RemoteTrees
  /** The place whose workers run the sessions. */
  readonly place: string
  /** Where the workers run a session that is to work in a folder. Default: in the same folder. Throws if they cannot. */
  readonly workspaceOf?: (session: string, folder: string) => string
}

interface Blocked {
  readonly reason: string
  readonly failures: number
  readonly notBefore: number
}

/** What is asked of a session that is being resumed. */
interface Waking {
  /** Again, because the file may have changed since, or more is asked. */
  isDue: boolean
  resumes: boolean
  restarts: boolean
  isQuiet: boolean
}

const delay = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref())

export function createRemoteKeeper(options: RemoteKeeperOptions): Keeper {
  const { home, engine, trees, place, workspace, parallel, problems, note, rested } = options
  const queue = new DeliveryQueue(home)
  queue.load()
  const mirror = new SessionMirror({
    home,
    engine,
    trees,
    place,
    rejected(session, message, kept) {
      rejected.set(session, kept)
      problems.report('edit', fileOfSession(session), [{ severity: 'error', message }])
    },
  })
  /** Edits that were not applied, by session. The problem is solved when the copy is removed. */
  const rejected = new Map<string, string>()
  const listeners = new Set<RunEndListener>()
  const serving = new Set<string>()
  /** Requests that the server has, by file. */
  const sent = new Set<string>()
  const blocked = new Map<string, Blocked>()
  /** Sessions that are being resumed, or whose edit is being sent. */
  const waking = new Map<string, Waking>()
  /** Runs that a person has resumed, until they have begun. Called with their result. */
  const restarting = new Map<string, (result: RunResult | undefined) => void>()
  let live: LiveWatch | undefined
  let isComparing = false
  /** Trees may have changed since the comparison began. */
  let isStale = false
  let holds = 0
  let isClosed = false

  const report = (session: string, message: string | undefined) =>
    problems.report(
      'run',
      fileOfSession(session),
      message === undefined ? [] : [{ severity: 'error', message }],
    )
  const runs = new RemoteRuns({
    engine,
    trees,
    mirror,
    report,
    synced: () => serveAll(),
    ended(root, result, sessions) {
      for (const session of sessions) for (const { file } of queue.of(session)) sent.delete(file)
      restarting.get(root)?.(result)
      if (result !== undefined) finish(root, result)
      rested(sessions)
      serveAll()
    },
  })
  const checks = new TreeChecks({ check: (root, agent) => runs.check(root, agent), report })
  const finish = (root: string, result: RunResult) => {
    const [first] = queue.of(root)
    // The orchestrator refused the start.
    if (first?.request.kind === 'start' && read(root) === undefined) queue.remove(first)
    for (const listener of listeners) listener(root, result)
  }
  const read = (session: string): StoredSession | undefined => readProjected(home, session)?.stored
  const readOr = async (session: string) => {
    try {
      return read(session)
    } catch {
      return undefined
    }
  }

  const isSettled = ({ session, request }: QueuedDelivery): boolean => {
    const stored = read(session)
    if (stored === undefined) return false
    return request.kind === 'start' || hasReceived(stored, request.work.message)
  }
  const send = async (queued: QueuedDelivery): Promise<boolean> => {
    const { session, request } = queued
    const stored = read(session)
    if (stored !== undefined && request.kind === 'tell') {
      requireHere(session)
      await runs.follow(stored.spec.root, stored.spec.agent.name)
      // What a person has changed in the file before applies first.
      await mirror.push(session)
      await trees.tell(session, request.work)
      return true
    }
    const start = startRequestOf(queued)
    if (start === undefined) {
      note({
        type: 'message.dropped',
        message: `A message for ${session} was dropped, because the session no longer exists.`,
        session,
      })
      queue.remove(queued)
      return false
    }
    if (!runs.has(session) && runs.roots().length >= parallel()) return false
    await requireAgent(start, options.parts().parts)
    const { workspace: wanted = '', ...rest } = start
    await runs.follow(session, start.agent)
    const { workspaceOf = (_, folder) => folder } = options
    const folder = workspaceOf(session, wanted || workspace)
    await trees.start({ startedBy: currentUser(), ...rest, workspace: folder, plain: false })
    return true
  }
  const serve = async (session: string): Promise<void> => {
    if (serving.has(session)) return
    serving.add(session)
    try {
      while (!isClosed && holds === 0) {
        const [first] = queue.of(session)
        if (first === undefined) break
        if (isSettled(first)) {
          queue.remove(first)
          sent.delete(first.file)
          continue
        }
        if (sent.has(first.file) || !(await send(first))) break
        sent.add(first.file)
      }
      if (blocked.delete(session)) report(session, undefined)
    } catch (error) {
      block(session, error)
    } finally {
      serving.delete(session)
    }
  }
  const block = (session: string, error: unknown) => {
    const failures = (blocked.get(session)?.failures ?? 0) + 1
    const reason = messageOf(error)
    blocked.set(session, { reason, failures, notBefore: performance.now() + pauseMs(failures) })
    report(session, `Cannot deliver messages to this session yet: ${reason}`)
  }
  const serveAll = () => {
    for (const session of queue.sessions()) {
      const { notBefore = 0 } = blocked.get(session) ?? {}
      if (performance.now() >= notBefore) void serve(session)
    }
  }
  const add = (request: Parameters<DeliveryQueue['add']>[0], session: string) => {
    queue.add(request)
    void serve(session)
  }
  const isToBeStarted = (session: string) =>
    queue.of(session).some((queued) => startRequestOf(queued) !== undefined)
  const requireHere = (session: string) => {
    const file = readProjected(home, session)
    if (file === undefined || file.place === place) return
    throw new CadreError(
      'configuration',
      file.place === undefined
        ? `${session} was not started with the Restate engine. Resume it with "cadre resume ${session}", or run "cadre up" without the engine.`
        : `${session} runs on the workers of place ${file.place}, but engine.place is ${place}. To continue it, set engine.place to ${file.place} and restart "cadre up".`,
    )
  }
  /** Whether a tree is followed for more than an edit of its record. */
  const isRun = (root: string) => runs.has(root) && !runs.isQuiet(root)
  const resume = async (session: string): Promise<void> => {
    const stored = read(session)
    if (stored === undefined || isClosed) return
    requireHere(session)
    const { root, agent } = stored.spec
    const isFollowed = isRun(root)
    if (!isFollowed && !(await canRunUnattended(stored, readOr))) return
    void wake(session, root, agent.name, { resumes: !isFollowed })
  }
  const resumeOnRequest = async (session: string): Promise<void> => {
    const stored = read(session)
    if (stored === undefined) throw new CadreError('not_found', `there is no session ${session}.`)
    requireHere(session)
    const { root, agent } = stored.spec
    if (isRun(root)) {
      if (idleStateOf(stored).kind !== 'ended') return
      throw stillRunning(session)
    }
    await runs.follow(root, agent.name)
    const result = new Promise<RunResult | undefined>((resolve) => restarting.set(root, resolve))
    void wake(session, root, agent.name, { resumes: true, restarts: true })
    const ended = await Promise.race([result, delay(beginTimeoutMs)])
    restarting.delete(root)
    // A run that has recorded something has begun.
    const hasBegun = (read(session)?.entries.length ?? 0) > stored.entries.length
    const refusal = ended && !hasBegun ? refusalIn(ended) : undefined
    if (refusal !== undefined) throw refusal
  }
  /** Callers must not wait: this takes until a worker is running, and until the command that changed the file has ended. */
  const wake = async (
    session: string,
    root: string,
    agent: string,
    { resumes = false, restarts = false, isQuiet = false },
  ): Promise<void> => {
    const known = waking.get(session)
    if (known !== undefined) {
      known.isDue = true
      known.resumes ||= resumes
      known.restarts ||= restarts
      known.isQuiet &&= isQuiet
      return
    }
    let failures = 0
    const asked: Waking = { isDue: true, resumes, restarts, isQuiet }
    waking.set(session, asked)
    while (asked.isDue && !isClosed) {
      const now = { ...asked }
      Object.assign(asked, { isDue: false, resumes: false, restarts: false })
      try {
        await runs.follow(root, agent, now)
        const isPushed = await mirror.push(session)
        if (isPushed) runs.changed(root)
        if (now.restarts) await trees.resume(session, {})
        else if (!isPushed && now.resumes) await trees.resume(session)
        if (failures > 0) report(session, undefined)
        failures = 0
      } catch (error) {
        // The command that answered a question holds the session until it ends.
        const isBrief = error instanceof CadreError && error.code === 'owned' && failures < 4
        if (!isBrief) report(session, `Cannot resume this session yet: ${messageOf(error)}`)
        asked.isDue = true
        asked.resumes ||= now.resumes
        asked.restarts ||= now.restarts
        await delay(isBrief ? 250 * ++failures : pauseMs(++failures))
      }
    }
    waking.delete(session)
  }
  /** Sends an edit that gives the session no work. */
  const pushEdit = async (session: string): Promise<void> => {
    const stored = read(session)
    if (stored === undefined) return
    const { root, agent } = stored.spec
    await wake(session, root, agent.name, { isQuiet: true })
  }
  const clearSolved = () => {
    for (const [session, kept] of rejected) {
      if (existsSync(kept)) continue
      rejected.delete(session)
      problems.report('edit', fileOfSession(session), [])
    }
  }
  /** Sends the order even if no worker is running. */
  const cancelTree = async (session: string, reason: string, stored: StoredSession | undefined) => {
    const root = stored?.spec.root ?? runs.rootOf(session) ?? session
    await runs.follow(root, stored?.spec.agent.name ?? '')
    // A tree that waits may rest again before the order arrives.
    runs.changed(root)
    await trees.cancel(session, reason, { root })
  }
  /** A session of this place that has not ended. */
  const unfinished = (session: string): StoredSession | undefined => {
    try {
      const file = readProjected(home, session)
      return file?.place === place && idleStateOf(file.stored).kind !== 'ended' ? file.stored : undefined
    } catch {
      // The session duty reports a file that cannot be read.
      return undefined
    }
  }
  const deliveryTo = (stored: StoredSession | undefined, session: string, message: string) => {
    if (stored !== undefined && hasReceived(stored, message)) return 'delivered'
    return queue.hasMessage(session, message) ? 'queued' : 'unknown'
  }
  /** Writes the files of all trees that others may have continued or ended. Again, if more may have changed in the meantime. */
  const compareAll = async () => {
    isStale = true
    if (isComparing) return
    isComparing = true
    try {
      while (isStale && !isClosed) {
        isStale = false
        for (const [root, agent] of await unfinishedRoots()) await checks.check(root, agent)
      }
    } finally {
      isComparing = false
    }
  }
  const unfinishedRoots = async (): Promise<Map<string, string>> => {
    const roots = new Map<string, string>()
    for (const { id, status } of await engine.list()) {
      if (status !== 'active' && status !== 'sleeping') continue
      const file = await Promise.resolve()
        .then(() => readProjected(home, id))
        .catch(() => undefined)
      if (file?.place === place) roots.set(file.stored.spec.root, file.stored.spec.agent.name)
    }
    return roots
  }

  return {
    async start(request) {
      const { id } = request
      if (runs.has(id) || isToBeStarted(id)) return
      if (read(id) !== undefined) return resume(id)
      await requireAgent(request, options.parts().parts)
      if (!isToBeStarted(id)) add({ kind: 'start', request }, id)
    },
    async tell(session: string, work: MessageWork, begin?: SessionStart) {
      const stored = read(session)
      if (deliveryTo(stored, session, work.message) !== 'unknown') return 'queued'
      if (stored !== undefined) requireHere(session)
      else if (!isToBeStarted(session)) {
        if (begin === undefined) return 'missing'
        await requireAgent(begin, options.parts().parts)
      }
      if (!queue.hasMessage(session, work.message))
        add({ kind: 'tell', session, work, ...(begin && { begin }) }, session)
      return 'queued'
    },
    delivery: async (session, message) => deliveryTo(read(session), session, message),
    resume: (session) => resume(session),
    resumeOnRequest,
    async cancel(session, reason) {
      const dropped = queue.of(session)
      for (const queued of dropped) queue.remove(queued)
      blocked.delete(session)
      const stored = read(session)
      if (stored === undefined && !runs.has(session)) return dropped.length > 0
      if (stored !== undefined && idleStateOf(stored).kind === 'ended') return false
      await cancelTree(session, reason, stored)
      note({ type: 'session.cancelled', message: `${session} was cancelled: ${reason}`, session, reason })
      return true
    },
    async state(session) {
      const running = (stuck: string | undefined) =>
        ({ kind: 'running', ...(stuck !== undefined && { stuck }) }) as const
      let stored: StoredSession | undefined
      try {
        stored = read(session)
      } catch (error) {
        return { kind: 'broken', message: messageOf(error) }
      }
      const queued = queue.of(session)
      if (stored === undefined) {
        if (isToBeStarted(session)) return running(blocked.get(session)?.reason)
        return runs.has(session) ? running(undefined) : { kind: 'absent' }
      }
      if (runs.has(stored.spec.root)) return running(undefined)
      if (queued.some((one) => !isSettled(one))) return running(blocked.get(session)?.reason)
      if (idleStateOf(stored).kind === 'ended') return endedState(stored)
      return (await canRunUnattended(stored, readOr)) ? running(undefined) : { kind: 'waiting' }
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
      void pushEdit(session).catch((error: unknown) => report(session, messageOf(error)))
    },
    cancelElsewhere(session) {
      const stored = unfinished(session)
      if (stored === undefined && runs.rootOf(session) === undefined) return false
      void cancelTree(session, 'a person cancelled it', stored).catch((error: unknown) =>
        report(session, messageOf(error)),
      )
      return true
    },
    async hold() {
      holds += 1
    },
    release() {
      holds = Math.max(0, holds - 1)
      serveAll()
    },
    async recover() {
      queue.load()
      serveAll()
    },
    async retry() {
      serveAll()
      runs.tick()
      checks.tick()
      clearSolved()
      live?.tick(runs.roots())
    },
    restore() {
      const compare = () =>
        void compareAll().catch((error: unknown) =>
          problems.report('engine', 'config.yaml', [{ severity: 'error', message: messageOf(error) }]),
        )
      // A command, or another daemon, may continue or end a tree that this daemon does not follow.
      trees.onOtherChange((root) => {
        if (root === undefined) return compare()
        const stored = unfinished(root)
        if (stored !== undefined) void checks.check(root, stored.spec.agent.name)
      })
    },
    clear() {
      isClosed = true
      live?.close()
      checks.close()
      runs.close()
    },
    open: () => [
      ...runs.agents(),
      ...queue.sessions().flatMap((session) =>
        queue.of(session).flatMap((queued) => {
          const start = startRequestOf(queued)
          return start === undefined ? [] : [[session, start.agent] as const]
        }),
      ),
    ],
    elsewhere: () => [],
    counts() {
      const running = isClosed ? [] : runs.roots()
      return { running, queued: queue.sessions().filter((session) => runs.rootOf(session) === undefined) }
    },
  }
}
