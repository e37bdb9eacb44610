/**
 * Owns which sessions run in the daemon: the one place that starts them and lets them go on.
 *
 * 1. Of one tree at most one run is under way here, and at most `parallel` trees are. The others wait in order; what is said to a
 *    session goes before what is begun.
 * 2. While it is held nothing begins.
 * 3. What was said is in the record when `tell` comes back with `told`, or in a file that outlives this process, and never in the
 *    record twice under one id. What is queued is in such a file until it has begun.
 * 4. A run that ends as it began, with nothing recorded, is not tried again before something has changed.
 * 5. A run that ends because the machine can do no more, as on a full disk, is nobody's failure: it is begun again when it can be,
 *    and nobody is told that it ended.
 */
import { mkdirSync } from 'node:fs'
import {
  type AgentDefinition,
  CadreError,
  type CadreEvent,
  messageOf,
  type Orchestrator,
  type RunResult,
  type StoredSession,
} from '@cadre/core'
import { type FileEngine, type Home, isInside, runningProcess, systemTrouble } from '@cadre/files'
import type { Parts } from '../daemon/daemon-runtime.ts'
import type { Note } from '../happening.ts'
import type { Problems } from '../problems.ts'
import type { KeepRequest, KeptState, SessionKeeper } from '../session-keeper.ts'
import { endRecord } from './end-record.ts'
import { isReady } from './is-ready.ts'
import { type Job, Jobs } from './jobs.ts'
import { endedState, failureResult } from './kept-result.ts'
import { foreignWorkspace } from './own-workspace.ts'
import { openQueuedRequests } from './queued-requests.ts'
import { removedAgent } from './removed-agent.ts'
import { openChildren, standingOf } from './standing.ts'
import { requireAgent, startOf } from './start-request.ts'

export interface KeeperOptions {
  readonly home: Home
  readonly engine: FileEngine
  readonly workspace: string
  /** Sessions go on wherever they work. */
  readonly trusted: boolean
  readonly parallel: () => number
  /** Whether something failed because the machine can do no more for now. */
  readonly trouble?: (error: unknown) => boolean
  /** What holds at this time. */
  readonly parts: () => { readonly parts: Parts; readonly orchestrator: Orchestrator }
  readonly note: Note
  readonly problems: Problems
  /** A tree has come to rest here: these sessions of it were open. */
  readonly rested: (sessions: readonly string[]) => void
}

export interface Keeper extends SessionKeeper {
  /** Sees every event of the sessions that run here. */
  observe(event: CadreEvent): void
  /** Whether the file of this session is written by this process now. */
  isOpenHere(session: string): boolean
  /** From now on nothing begins; `pauses` what runs as well. Resolves when nothing runs, or when `signal` ends it. */
  hold(pauses: boolean, signal?: AbortSignal): Promise<void>
  /** Things begin again, those first that were paused. */
  release(): void
  /** The machine can do again what it could not: what it had to leave goes on. */
  recover(): Promise<void>
  /** Says what could not be said because another process ran the session. */
  retry(): Promise<void>
  /** Takes up what was queued when an earlier process ended. */
  restore(): Promise<void>
  /** What waits for its turn is not begun any more. */
  clear(): void
  /** Sessions that are open here, and the agents they are of. */
  open(): Iterable<readonly [session: string, agent: string]>
  /** Trees that another process runs, to be looked at again. */
  elsewhere(): readonly string[]
  counts(): { readonly running: readonly string[]; readonly queued: readonly string[] }
}

interface Stalled {
  readonly again: () => Promise<void>
  readonly drop: () => void
}

interface Late {
  readonly session: string
  readonly work: Parameters<SessionKeeper['tell']>[1]
  readonly done: () => void
}

export function createSessionKeeper(options: KeeperOptions): Keeper {
  const { home, engine, note, problems, trouble = () => false } = options
  const listeners = new Set<(session: string, result: RunResult) => void>()
  const abroad = new Set<string>()
  const telling = new Map<string, Promise<unknown>>()
  const paused: Job[] = []
  const queued = openQueuedRequests(home)
  /** What is to be said to sessions that another process runs. */
  const late: Late[] = []
  /** Runs that the machine could not carry on, and how to begin them again, or not to. */
  const stalled = new Map<string, Stalled>()
  /** Sessions that are not resumed because their agent was removed: it may come back. */
  const orphans = new Map<string, AgentDefinition>()
  /** What cannot begin yet, because another process spends from the budget that pays for it; and how to begin it. */
  const unpaid = new Map<string, { readonly begin: () => void; readonly drop: () => void }>()
  /** Sessions whose last run failed for another reason, and why. */
  const stuck = new Map<string, string>()
  const jobs = new Jobs({
    parallel: options.parallel,
    orchestrator: () => options.parts().orchestrator,
    rested: (job, end) => {
      for (const session of job.members) problems.report('run', fileOf(session), [])
      if (end.kind === 'failed' && trouble(end.error)) {
        if (!stalled.has(job.session))
          stalled.set(job.session, { again: () => keeper.resume(job.session), drop: () => {} })
        options.rested([...job.members])
        return
      }
      if (end.kind === 'failed') failed(job.session, job.root, end.error)
      const result = end.kind === 'failed' ? failureResult(job.session, job.agent, end.error) : end.result
      if (end.kind === 'rested' && isUnrecorded(end.result))
        stuck.set(job.session, 'its end could not be recorded')
      const isOwned = end.kind === 'failed' && isCode(end.error, 'owned')
      const isPaused = result.kind === 'waiting' && result.questions.length === 0
      if (isPaused) paused.push(job)
      if (!isOwned && !isPaused) for (const listener of listeners) listener(job.session, result)
      options.rested([...job.members])
    },
  })
  /** Nothing when there is no record, or it cannot be used. Rejects when the machine can do no more for now. */
  const readOr = (session: string) =>
    engine.read(session).catch((error) => {
      if (systemTrouble(error) !== undefined) throw error
      return undefined
    })
  const fileOf = (session: string) => `sessions/${session}.session.yaml`
  const failed = (session: string, root: string, error: unknown) => {
    if (isCode(error, 'owned')) {
      abroad.add(root)
      return
    }
    stuck.set(session, messageOf(error))
    note({ type: 'session.failed', message: `${session} could not be run: ${messageOf(error)}`, session })
    problems.report('run', fileOf(session), [{ severity: 'error', message: messageOf(error) }])
  }

  /** Reasons why a stored session is not taken up; true when there are none. */
  const mayGoOn = ({ spec }: StoredSession): boolean => {
    const why = options.trusted
      ? undefined
      : (options.parts().parts.leaves?.(spec.root) ??
        foreignWorkspace(spec.workspace, { home, own: options.workspace }))
    const gone = removedAgent(spec.agent, options.parts().parts.registry)
    if (gone === undefined) orphans.delete(spec.id)
    else orphans.set(spec.id, spec.agent)
    const reason = why ?? gone
    problems.report(
      'workspace',
      fileOf(spec.id),
      reason === undefined ? [] : [{ severity: 'error', message: reason }],
    )
    if (reason !== undefined) return false
    // One that was made for a session is made anew with what was committed in it.
    const isMade = spec.isolation?.kind === 'own' && spec.isolation.base !== spec.workspace
    if (!isMade && isInside(home.at('workspaces'), spec.workspace))
      mkdirSync(spec.workspace, { recursive: true })
    return true
  }
  const addJob = (...request: Parameters<Jobs['add']>) => {
    stalled.delete(request[0].session)
    stuck.delete(request[0].session)
    return jobs.add(...request)
  }
  const begin = (request: KeepRequest, done: () => void) => {
    const { id, agent } = request
    const job = addJob({ session: id, root: id, agent, begin: startOf(request, options.workspace) })
    void job.begun.then((end) => {
      if (end === 'begun' || end.kind === 'rested' || end.kind === 'dropped') done()
      else if (end.kind === 'failed') {
        // What has no record yet is begun as it was asked for.
        if (stalled.has(id)) stalled.set(id, { again: async () => begin(request, done), drop: done })
        else if (isCode(end.error, 'owned')) unpaid.set(id, { begin: () => begin(request, done), drop: done })
        else done()
      }
    })
  }
  const goOn = (session: string, root: string, agent: string) =>
    addJob({ session, root, agent, begin: (by, signal) => by.resume(session, {}, signal) })

  const keeper: Keeper = {
    async start(request) {
      const { id } = request
      if (jobs.has(id) || stalled.has(id) || unpaid.has(id)) return
      if ((await engine.read(id)) !== undefined) return keeper.resume(id)
      await requireAgent(request, options.parts().parts)
      if (jobs.has(id)) return
      begin(request, queued.keep({ kind: 'start', request }))
    },

    async tell(session, work) {
      for (;;) {
        const stored = await engine.read(session)
        if (stored === undefined) {
          const job = jobs.of(session)
          if (job === undefined) return 'missing'
          await job.begun
          continue
        }
        if (hasHeard(stored, work.message)) return 'told'
        const { root, agent } = stored.spec
        const running = jobs.running(root)
        if (running !== undefined) {
          if (await options.parts().orchestrator.tell(session, work)) return 'told'
          await running.over
          continue
        }
        const other = telling.get(session)
        if (other !== undefined) {
          await other.catch(() => {})
          continue
        }
        const pid = ownerOf(root)
        if (pid !== undefined) throw ownedBy(session, pid)
        if (!mayGoOn(stored)) throw new CadreError('configuration', `${session} may not go on from here`)
        const isSoon = jobs.hasRoom
        const done = queued.keep({ kind: 'tell', session, work })
        const said = say(session, root, agent.name, work).finally(() => telling.delete(session))
        telling.set(session, said)
        // Whoever says something is not held up by those who are at work.
        const isSaid = said.then(done)
        if (isSoon)
          await isSaid.catch((error) => {
            // Whoever is told that it failed says it again.
            done()
            throw error
          })
        else
          isSaid.catch((error) => {
            if (isCode(error, 'owned') || trouble(error)) late.push({ session, work, done })
            // It stops: the file is there for the next one.
            else if (!isCode(error, 'cancelled')) failed(session, root, error)
          })
        return 'told'
      }
    },

    async resume(session) {
      if (jobs.has(session)) return
      const stored = await engine.read(session)
      if (stored === undefined) return
      const { root } = stored.spec
      if (jobs.has(root)) return
      if (ownerOf(root) !== undefined) {
        abroad.add(root)
        return
      }
      abroad.delete(root)
      if (!(await isReady(stored, readOr)) || !mayGoOn(stored)) return
      goOn(session, root, stored.spec.agent.name)
    },

    async cancel(session, reason) {
      stalled.get(session)?.drop()
      unpaid.get(session)?.drop()
      const isDropped = stalled.delete(session) || unpaid.delete(session) || jobs.drop(session)
      const stored = await engine.read(session)
      if (isDropped && stored === undefined) return true
      const root = stored?.spec.root ?? session
      const running = jobs.running(root)
      if (running !== undefined) {
        if (!options.parts().orchestrator.cancel(session, { stays: true })) return false
        note({ type: 'session.cancelled', message: `${session} was ended: ${reason}`, session, reason })
        if (session === root) await running.over
        return true
      }
      if (stored === undefined || standingOf(stored).kind === 'ended') return false
      const pid = ownerOf(root)
      if (pid !== undefined) throw ownedBy(session, pid)
      for (const child of openChildren(stored)) {
        const below = await readOr(child)
        if (below !== undefined && standingOf(below).kind !== 'ended') await endRecord(engine, below, reason)
      }
      await endRecord(engine, stored, reason)
      note({ type: 'session.cancelled', message: `${session} was ended: ${reason}`, session, reason })
      if (session === root) options.rested([session])
      // Whoever waits for it goes on with what became of it.
      else await keeper.resume(root)
      return true
    },

    async state(session): Promise<KeptState> {
      if (
        jobs.of(session) !== undefined ||
        jobs.isOpen(session) ||
        stalled.has(session) ||
        unpaid.has(session)
      )
        return { kind: 'running' }
      let stored: StoredSession | undefined
      try {
        stored = await engine.read(session)
      } catch (error) {
        if (systemTrouble(error) !== undefined) throw error
        return { kind: 'broken', message: messageOf(error) }
      }
      if (stored === undefined)
        return jobs.of(session) === undefined ? { kind: 'absent' } : { kind: 'running' }
      const { root } = stored.spec
      if (jobs.has(root)) return { kind: 'running' }
      const pid = ownerOf(root)
      if (pid !== undefined) return { kind: 'elsewhere', pid }
      const standing = standingOf(stored)
      if (standing.kind === 'ended') return endedState(stored)
      if (!(await isReady(stored, readOr))) return { kind: 'waiting' }
      const why = stuck.get(session)
      return { kind: 'running', ...(why !== undefined && { stuck: why }) }
    },

    onRest(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    observe: (event) => jobs.observe(event),
    isOpenHere: (session) => jobs.isOpen(session),
    hold: (pauses, signal) => jobs.hold(pauses, signal),
    release() {
      for (const job of paused.splice(0)) goOn(job.root, job.root, job.agent)
      jobs.release()
    },
    clear: () => jobs.clear(),
    async recover() {
      for (const [session, one] of [...stalled]) {
        stalled.delete(session)
        try {
          await one.again()
        } catch (error) {
          // It waits, with those behind it, for the next time.
          stalled.set(session, one)
          throw error
        }
      }
    },
    async retry() {
      for (const [session, agent] of [...orphans])
        if (removedAgent(agent, options.parts().parts.registry) === undefined) {
          orphans.delete(session)
          await keeper.resume(session)
        }
      for (const [id, { begin }] of [...unpaid]) {
        unpaid.delete(id)
        begin()
      }
      for (const one of late.splice(0)) {
        try {
          await keeper.tell(one.session, one.work)
          one.done()
        } catch (error) {
          if (isCode(error, 'owned') || trouble(error)) late.push(one)
          else failed(one.session, one.session, error)
        }
      }
    },
    async restore() {
      for (const { request: one, done } of queued.left()) {
        try {
          if (one.kind === 'start') await keeper.start(one.request)
          else await keeper.tell(one.session, one.work)
          done()
        } catch (error) {
          const session = one.kind === 'start' ? one.request.id : one.session
          if (one.kind === 'tell' && (isCode(error, 'owned') || trouble(error))) {
            late.push({ session, work: one.work, done })
            continue
          }
          // Its file stays, for the next look.
          if (trouble(error)) continue
          failed(session, session, error)
          // Without an agent there is nobody to begin it; without a model it waits for one.
          if (one.kind === 'tell' || isCode(error, 'not_found')) done()
        }
      }
    },
    open: () => jobs.agents(),
    elsewhere: () => [...abroad],
    counts: () => jobs.counts(),
  }
  return keeper

  /** A run for what is said, and for what follows from it. Resolves as soon as it is in the record. */
  async function say(
    session: string,
    root: string,
    agent: string,
    work: Parameters<SessionKeeper['tell']>[1],
  ): Promise<'told'> {
    const job = addJob(
      { session, root, agent, begin: (by, signal) => by.resume(session, { work }, signal) },
      { first: true },
    )
    await Promise.race([job.heard, job.over])
    const stored = await engine.read(session)
    if (stored !== undefined && hasHeard(stored, work.message)) return 'told'
    const end = await job.over
    if (end.kind === 'failed') throw end.error
    if (end.kind === 'left') throw new CadreError('cancelled', `${session} is told after the next start`)
    // Somebody has ended it: there is nobody left to tell.
    if (end.kind === 'dropped') return 'told'
    const after = await engine.read(session)
    if (after !== undefined && !hasHeard(after, work.message)) {
      // A hook has refused it: it was said, and is not to be said again.
      note({
        type: 'message.refused',
        message: `${session} was not told ${work.message}: a hook refused it`,
        session,
      })
    }
    return 'told'
  }

  function ownerOf(root: string): number | undefined {
    const owner = runningProcess(home, root)
    return owner === undefined || owner.pid === process.pid ? undefined : owner.pid
  }
}

function hasHeard({ entries }: StoredSession, message: string): boolean {
  return entries.some((entry) => entry.role === 'user' && entry.message === message)
}

/** Its record says that it goes on, because what it ended with could not be written there. */
function isUnrecorded(result: RunResult): boolean {
  return result.kind === 'report' && result.report.notices?.at(-1)?.code === 'corrupt'
}

function ownedBy(session: string, pid: number): CadreError {
  return new CadreError('owned', `${session} is run by process ${pid}; it is told when that has ended`)
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof CadreError && error.code === code
}
