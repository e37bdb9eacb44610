/**
 * Owns the runs of sessions in this process, and why past runs failed. Called by the parts of the session keeper.
 *
 * 1. Each tree has at most one run, and at most `parallel` trees run at once. Other runs wait in order; runs that deliver a message
 *    come before new sessions.
 * 2. While the keeper is on hold, no run starts.
 * 3. A run that fails without recording anything is not retried until something changes.
 * 4. A run that fails because of the system, for example on a full disk, is not reported to listeners. It is resumed when the
 *    system has recovered.
 * 5. A request to resume a session is never lost: while its tree runs, here or in another process, the request waits for the end of that run.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type { Problems, RecordEvent } from '@cadre/channels'
import {
  type AgentDefinition,
  CadreError,
  type ErrorCode,
  messageOf,
  type Orchestrator,
  type RunResult,
  type StoredSession,
} from '@cadre/core'
import { systemErrorCode } from '@cadre/disk'
import { type Home, runningProcess } from '@cadre/home'
import type { FileEngine } from '@cadre/journal'
import { canRunUnattended, idleStateOf } from '@cadre/runtime'
import { makeHomeWorkspace } from '@cadre/workspaces'
import type { DaemonParts } from '../daemon/daemon-runtime.ts'
import { whyNotIn } from './foreign-workspace-reason.ts'
import { hasErrorCode } from './has-error-code.ts'
import { type Job, type JobRequest, Jobs, type StartedJobEnd } from './jobs.ts'
import { failureResult } from './kept-result.ts'
import { removedAgentReason } from './removed-agent-reason.ts'

export interface SessionRunsOptions {
  readonly home: Home
  readonly engine: FileEngine
  readonly workspace: string
  /** True if sessions may run in any workspace. */
  readonly trusted: boolean
  readonly parallel: () => number
  /** Returns whether an error comes from the system, such as a full disk, and is temporary. */
  readonly trouble: (error: unknown) => boolean
  /** The current configuration. */
  readonly parts: () => { readonly parts: DaemonParts; readonly orchestrator: Orchestrator }
  readonly note: RecordEvent
  readonly problems: Problems
  /** Called when a tree stops running here, with the sessions that were open in it. */
  readonly rested: (sessions: readonly string[]) => void
}

/** How long a person's request to resume a session waits for the run to begin. */
export const beginTimeoutMs = 2_000

export type RunEndListener = (session: string, result: RunResult) => void

export class SessionRuns {
  readonly jobs: Jobs
  readonly #options: SessionRunsOptions
  readonly #listeners = new Set<RunEndListener>()
  /** Sessions to resume when another process no longer runs their tree, with its root. */
  readonly #elsewhere = new Map<string, string>()
  /** Sessions to resume when no run of their tree is left here: the current one may not have seen why. */
  readonly #late = new Map<string, string>()
  readonly #paused: Pick<Job, 'session' | 'root' | 'agent'>[] = []
  /** Sessions that are not resumed because their agent was removed. It may be restored. */
  readonly #orphans = new Map<string, AgentDefinition>()
  /** Sessions whose run failed because of the system. */
  readonly #stalled = new Set<string>()
  /** Sessions whose last run failed for another reason, with the reason. */
  readonly #stuck = new Map<string, string>()

  constructor(options: SessionRunsOptions) {
    this.#options = options
    this.jobs = new Jobs({
      parallel: options.parallel,
      orchestrator: () => options.parts().orchestrator,
      rested: (job, end) => this.#rested(job, end),
    })
  }

  get orchestrator(): Orchestrator {
    return this.#options.parts().orchestrator
  }

  add(request: JobRequest, options?: Parameters<Jobs['add']>[1]): Job {
    this.#stalled.delete(request.session)
    this.#stuck.delete(request.session)
    return this.jobs.add(request, options)
  }

  /** Resumes a session, or the tree it belongs to, if it has work to do. */
  async resume(session: string): Promise<void> {
    const stored = await this.#options.engine.read(session)
    if (stored === undefined) return
    const { root, agent } = stored.spec
    if (this.jobs.hasTree(root)) {
      this.#late.set(session, root)
      return
    }
    if (this.ownerOf(root) !== undefined) {
      this.#elsewhere.set(session, root)
      return
    }
    this.#elsewhere.delete(session)
    if (!(await canRunUnattended(stored, (id) => this.readOr(id))) || !this.mayResume(stored)) return
    this.#continueRun(session, root, agent.name)
  }

  /** See `SessionKeeper`. Call it only for a session that no other process is running. */
  async resumeOnRequest(session: string): Promise<void> {
    const stored = await this.#options.engine.read(session)
    if (stored === undefined) throw new CadreError('not_found', `there is no session ${session}.`)
    const { root, agent } = stored.spec
    if (this.jobs.has(session) || this.jobs.has(root)) {
      if (idleStateOf(stored).kind === 'ended') throw stillRunning(session)
      this.#late.set(session, root)
      return
    }
    this.requireHere(stored)
    const job = this.#continueRun(session, root, agent.name)
    // A run that waits for other runs begins later.
    if (this.jobs.running(root) !== job) return
    const begun = await Promise.race([job.begun, pause(beginTimeoutMs, undefined, { ref: false })])
    if (begun === undefined || begun === 'begun') return
    // A run that the system prevented is resumed when the system has recovered.
    if (begun.kind === 'failed' && !this.isStalled(session)) throw begun.error
    const refusal = begun.kind === 'rested' ? refusalIn(begun.result) : undefined
    if (refusal !== undefined) throw refusal
  }

  /** Returns false, and reports a problem, if the daemon may not use the session's workspace or the agent was removed. */
  mayResume(stored: StoredSession): boolean {
    return this.#whyNot(stored) === undefined
  }

  #whyNot({ spec }: StoredSession): string | undefined {
    const { home, problems } = this.#options
    const gone = this.#removalOf(spec.agent)
    if (gone === undefined) this.#orphans.delete(spec.id)
    else this.#orphans.set(spec.id, spec.agent)
    const why = whyNotIn(spec, this.#options) ?? gone
    const found = why === undefined ? [] : [{ severity: 'error' as const, message: why }]
    problems.report('workspace', fileOfSession(spec.id), found)
    if (why !== undefined) return why
    makeHomeWorkspace(home, spec)
    return undefined
  }

  /** Like `mayResume`, but throws the reason. */
  requireHere(stored: StoredSession): void {
    const why = this.#whyNot(stored)
    if (why !== undefined) throw new CadreError('configuration', why)
  }

  /** The other process that is running this tree, if any. */
  ownerOf(root: string): number | undefined {
    const owner = runningProcess(this.#options.home, root)
    return owner === undefined || owner.pid === process.pid ? undefined : owner.pid
  }

  /** Returns `undefined` if there is no valid record. Rejects if the system cannot read it now. */
  readOr(session: string): Promise<StoredSession | undefined> {
    return this.#options.engine.read(session).catch((error) => {
      if (systemErrorCode(error) !== undefined) throw error
      return undefined
    })
  }

  isStalled(session: string): boolean {
    return this.#stalled.has(session)
  }

  /** Stops resuming the session's run automatically. Returns whether the session was stalled. */
  forgetStalled(session: string): boolean {
    return this.#stalled.delete(session)
  }

  stuckBy(session: string): string | undefined {
    return this.#stuck.get(session)
  }

  elsewhere(): ReadonlyMap<string, string> {
    return new Map(this.#elsewhere)
  }

  onRest(listener: RunEndListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  notifyRested({ session, agent }: Job, end: StartedJobEnd): void {
    const result = end.kind === 'failed' ? failureResult(session, agent, end.error) : end.result
    for (const listener of this.#listeners) listener(session, result)
  }

  /** Starts runs again, paused ones first. */
  release(): void {
    for (const { session, root, agent } of this.#paused.splice(0)) this.#continueRun(session, root, agent)
    this.jobs.release()
  }

  /** Resumes the sessions that should have been resumed during a run that is over. */
  async resumeLate(): Promise<void> {
    for (const [session, root] of [...this.#late]) {
      if (this.jobs.hasTree(root)) continue
      this.#late.delete(session)
      try {
        await this.resume(session)
      } catch (error) {
        // A file that cannot be read is reported when it is checked.
        if (systemErrorCode(error) !== undefined) this.#late.set(session, root)
        throw error
      }
    }
  }

  /** Resumes stalled sessions after the system has recovered. */
  async recover(): Promise<void> {
    for (const session of [...this.#stalled]) {
      this.#stalled.delete(session)
      try {
        await this.resume(session)
      } catch (error) {
        this.#stalled.add(session)
        throw error
      }
    }
  }

  /** Resumes the sessions of agents that were removed and restored. */
  async adoptOrphans(): Promise<void> {
    for (const [session, agent] of [...this.#orphans]) {
      if (this.#removalOf(agent) !== undefined) continue
      await this.resume(session)
      this.#orphans.delete(session)
    }
  }

  #removalOf(agent: AgentDefinition): string | undefined {
    return removedAgentReason(agent, this.#options.parts().parts.registry)
  }

  #continueRun(session: string, root: string, agent: string): Job {
    return this.add({ session, root, agent, begin: (by, signal) => by.resume(session, {}, signal) })
  }

  #rested(job: Job, end: StartedJobEnd): void {
    const { problems, trouble, rested } = this.#options
    for (const session of job.members) problems.report('run', fileOfSession(session), [])
    if (end.kind === 'failed' && trouble(end.error)) {
      this.#stalled.add(job.session)
      rested([...job.members])
      return
    }
    if (end.kind === 'failed') this.#failed(job, end.error)
    else if (isUnrecorded(end.result)) this.#stuck.set(job.session, "the session's end was not recorded")
    const isOwned = end.kind === 'failed' && hasErrorCode(end.error, 'owned')
    const paused = end.kind === 'rested' && isPause(end.result) ? end.result : undefined
    // The run may be one of a session above.
    if (paused !== undefined) this.#paused.push({ session: paused.session, root: job.root, agent: job.agent })
    else if (!isOwned) this.notifyRested(job, end)
    rested([...job.members])
    // The keeper's next retry repeats it.
    if (paused === undefined) void this.resumeLate().catch(trouble)
  }

  #failed({ session, root }: Job, error: unknown): void {
    if (hasErrorCode(error, 'owned')) {
      this.#elsewhere.set(session, root)
      return
    }
    const message = messageOf(error)
    this.#stuck.set(session, message)
    this.#options.note({
      type: 'session.failed',
      message: `Cannot run ${session}: ${message}`,
      session,
    })
    this.#options.problems.report('run', fileOfSession(session), [{ severity: 'error', message }])
  }
}

export function fileOfSession(session: string): string {
  return `sessions/${session}.session.yaml`
}

function isPause(result: RunResult): result is Extract<RunResult, { kind: 'waiting' }> {
  return result.kind === 'waiting' && result.questions.length === 0
}

/** The reason why a run ended before it began, such as an unknown model. */
export function refusalIn(result: RunResult): CadreError | undefined {
  const notice = result.kind === 'report' ? result.report.notices?.at(-1) : undefined
  return notice && new CadreError(notice.code as ErrorCode, notice.message)
}

/** An ended session is resumed with its run, and not beside it. */
export function stillRunning(session: string): CadreError {
  return new CadreError(
    'owned',
    `session ${session} has ended, and its run is still running. Send the session a message, or wait until the run has ended.`,
  )
}

/** The session has ended, but its end is not in its record. */
function isUnrecorded(result: RunResult): boolean {
  return result.kind === 'report' && result.report.notices?.at(-1)?.code === 'corrupt'
}
