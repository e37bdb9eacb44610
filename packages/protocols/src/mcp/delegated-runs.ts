/**
 * Owns the actions that an outside program may take on a home's runs: delegate work, follow it, resume it and cancel it.
 *
 * 1. A run is not a call. It has its own process, and survives the program that delegated it. If a daemon is running, it resumes the run.
 * 2. A delegated run starts only once: its id is on disk before its process starts, and the process starts a session only if it does not exist yet.
 * 3. Two callers never start two processes for one run: they check and start under one lock.
 * 4. A program can resume or cancel only delegated runs. It can only read people's runs.
 */
import { CadreError, messageOf, type StoredSession } from '@cadre/core'
import { isAlive, thisProcess } from '@cadre/disk'
import {
  type Home,
  isDaemonRunning,
  isSessionName,
  requestCancel,
  runningProcess,
  sessionIds,
  withLock,
} from '@cadre/home'
import {
  canRunUnattended,
  endStoredSession,
  idleStateOf,
  latestReport,
  openChildren,
  type Sessions,
} from '@cadre/runtime'
import { type DelegatedRun, type DelegatedRunProcess, maxParallelRuns } from './delegated-run.ts'
import { openDelegatedRunFiles } from './delegated-run-files.ts'
import { pruneDelegatedRuns } from './prune-delegated-runs.ts'
import type { KnownRun, RunState } from './run-state.ts'

/** Starts a process that runs the work with `executeDelegatedRun`, and does not wait for it. Its output is written to `log`. */
export type Launch = (delegatedRun: DelegatedRun, log: string) => void

export interface DelegatedRuns {
  readonly home: Home
  readonly sessions: Sessions
  /** Rejects with a `CadreError` if too many runs are running. When this resolves, the run exists, but may not have started yet. */
  start(request: Omit<DelegatedRun, 'id' | 'created'>): Promise<string>
  /** Rejects with `not_found` if there is no such run. */
  read(id: string): Promise<KnownRun>
  /** The newest runs first. */
  list(limit: number): Promise<readonly KnownRun[]>
  /** Starts a process for a delegated run that has work to do but no process. Otherwise does nothing. */
  resume(id: string): Promise<void>
  /** Returns false if the run has already ended. Rejects if a person started it. */
  cancel(id: string, by: string, signal: AbortSignal): Promise<boolean>
  /** Whether a program delegated this run. */
  isDelegated(id: string): boolean
}

/** If a process has not reported after this time, it did not start. */
const startLimit = 60_000
/** The delays before a failed process is restarted. */
const retryAfter = 30_000
const cancelLimit = 10_000

export function openDelegatedRuns(sessions: Sessions, launch: Launch): DelegatedRuns {
  const { home, engine } = sessions
  const files = openDelegatedRunFiles(home)
  const self = thisProcess()
  const isStarting = (started: DelegatedRunProcess | undefined): boolean => {
    if (started === undefined || started.ended || started.failed !== undefined) return false
    if (started.process !== undefined) return isAlive(started.process, self, started.launched)
    return Date.now() - started.launched < startLimit
  }
  const readStored = async (id: string): Promise<StoredSession | undefined> => {
    const stored = await engine.read(id)
    return stored?.spec.root === id ? stored : undefined
  }
  const stateOf = async (id: string, stored: StoredSession | undefined): Promise<RunState> => {
    const started = files.process(id)
    if (stored !== undefined && idleStateOf(stored).kind === 'ended') {
      const report = latestReport(stored.entries)
      return { kind: 'ended', report, outcome: stored.outcome ?? report?.status ?? stored.status }
    }
    const owner = runningProcess(home, id)
    if (owner !== undefined && stored !== undefined) return { kind: 'running', pid: owner.pid }
    if (isStarting(started)) return { kind: 'starting' }
    if (stored === undefined || (await canRunUnattended(stored, (child) => engine.read(child))))
      return started?.failed === undefined ? { kind: 'idle' } : { kind: 'failed', reason: started.failed }
    const approvals = await engine.approvals.list({ sessions: await treeOf(stored, engine) })
    // A decision in a file has just been recorded.
    const now = await engine.read(id)
    if (now !== undefined && (await canRunUnattended(now, (child) => engine.read(child))))
      return { kind: 'idle' }
    return { kind: 'waiting', approvals }
  }
  const known = async (id: string): Promise<KnownRun | undefined> => {
    const delegatedRun = files.read(id)
    let stored: StoredSession | undefined
    try {
      stored = await readStored(id)
    } catch (error) {
      return { id, state: { kind: 'failed', reason: messageOf(error) } }
    }
    if (stored === undefined && delegatedRun === undefined) return undefined
    return {
      id,
      state: await stateOf(id, stored),
      ...(stored && { stored }),
      ...(delegatedRun && { delegatedRun }),
      untrusted: files.process(id)?.untrusted === true,
    }
  }
  /** Call it while holding the lock. */
  const launchNow = (delegatedRun: DelegatedRun) => {
    files.setProcess(delegatedRun.id, { launched: Date.now() })
    launch(delegatedRun, files.log(delegatedRun.id))
  }
  const countRunning = () =>
    files.ids().filter((id) => runningProcess(home, id) !== undefined || isStarting(files.process(id))).length
  const prune = () => {
    const isRunning = (id: string) => runningProcess(home, id) !== undefined || isStarting(files.process(id))
    return pruneDelegatedRuns({ files, sessions, isRunning })
  }
  const requireDelegated = (id: string): DelegatedRun => {
    const delegation = files.read(id)
    if (delegation !== undefined) return delegation
    throw new CadreError(
      'policy',
      `a person started run ${id}, so only a person may stop it: cadre sessions cancel ${id}`,
    )
  }

  const delegatedRuns: DelegatedRuns = {
    home,
    sessions,
    isDelegated: (id) => files.read(id) !== undefined,
    async start(request) {
      const { agent, team } = request
      const id = sessionIds.session(agent ?? team ?? 'run')
      const delegatedRun: DelegatedRun = { id, ...request, created: new Date().toISOString() }
      // Creates the home.
      home.folder('storage')
      await prune()
      const error = await withLock(home, 'delegations', () => {
        if (countRunning() >= maxParallelRuns)
          return new CadreError(
            'usage',
            `${maxParallelRuns} delegated runs are running, which is the limit. Wait for one of them with wait_for_run, or stop one with cancel_run.`,
          )
        files.add(delegatedRun)
        launchNow(delegatedRun)
        return undefined
      })
      if (error !== undefined) throw error
      return id
    },
    async read(id) {
      const run = isSessionName(id) ? await known(id) : undefined
      if (run !== undefined) return run
      throw new CadreError(
        'not_found',
        `there is no run ${JSON.stringify(id.slice(0, 200))}. Call list_runs to see the runs.`,
      )
    },
    async list(limit) {
      const roots = (await sessions.list()).filter(({ parent }) => parent === undefined)
      const recorded = new Set(roots.map(({ id }) => id))
      const starting = files
        .ids()
        .flatMap((id) => (recorded.has(id) ? [] : (files.read(id) ?? [])))
        .map(({ id, created }) => ({ id, created }))
      const newest = [...starting, ...roots].toSorted((a, b) => (a.created < b.created ? 1 : -1))
      const found = await Promise.all(newest.slice(0, limit).map(({ id }) => known(id)))
      return found.filter((run) => run !== undefined)
    },
    async resume(id) {
      const delegatedRun = files.read(id)
      if (delegatedRun === undefined || isDaemonRunning(home)) return
      const before = files.process(id)
      if (before?.cancelled) return
      const stored = await readStored(id)
      const { kind } = await stateOf(id, stored)
      const failedAt = before?.launched ?? 0
      const isRetried = kind === 'failed' && stored !== undefined && Date.now() - failedAt > retryAfter
      if (kind !== 'idle' && !isRetried) return
      await withLock(home, 'delegations', () => {
        // Another caller may have started it since, and it may even have ended.
        if (files.process(id)?.launched !== before?.launched || runningProcess(home, id) !== undefined) return
        launchNow(delegatedRun)
      })
    },
    async cancel(id, by, signal) {
      const { state, stored } = await delegatedRuns.read(id)
      if (state.kind === 'ended') return false
      requireDelegated(id)
      const isRunning = () => runningProcess(home, id) !== undefined || isStarting(files.process(id))
      if (isRunning()) {
        const limit = AbortSignal.any([signal, AbortSignal.timeout(cancelLimit)])
        const answer = await requestCancel({ home, session: id, isRunning }, limit)
        if (answer === 'taken') return true
        if (isRunning())
          throw new CadreError(
            'timeout',
            `the process for run ${id} did not respond within ${cancelLimit / 1000} seconds. Call cancel_run again.`,
          )
        return delegatedRuns.cancel(id, by, signal)
      }
      if (stored === undefined) {
        const failed = `${by} cancelled it before it started.`
        const isCancelled = await withLock(home, 'delegations', () => {
          // Its process may have started since.
          if (isRunning()) return false
          files.setProcess(id, { launched: Date.now(), failed, cancelled: true })
          return true
        })
        return isCancelled || delegatedRuns.cancel(id, by, signal)
      }
      const reason = `cancelled by ${by}`
      for (const child of openChildren(stored)) {
        const below = await engine.read(child)
        if (below !== undefined && idleStateOf(below).kind !== 'ended')
          await endStoredSession(engine, below, reason)
      }
      await endStoredSession(engine, stored, reason)
      return true
    },
  }
  return delegatedRuns
}

/** A tree's sessions that have not ended. */
async function treeOf(root: StoredSession, engine: Sessions['engine']): Promise<string[]> {
  const seen = new Set<string>()
  const waiting = [root]
  for (let stored = waiting.pop(); stored !== undefined; stored = waiting.pop()) {
    seen.add(stored.spec.id)
    for (const child of openChildren(stored)) {
      const below = seen.has(child) ? undefined : await engine.read(child)
      if (below !== undefined) waiting.push(below)
    }
  }
  return [...seen]
}
