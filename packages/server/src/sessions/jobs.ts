/**
 * Owns the waiting and running jobs. Called only by the session keeper.
 *
 * 1. A tree has at most one running job. Others for the same tree wait for it.
 * 2. While it is on hold, no job starts.
 * 3. `over` resolves once for every job, and never rejects.
 */
import type { CadreEvent, Orchestrator, RunResult } from '@cadre/core'

export interface JobRequest {
  readonly session: string
  readonly root: string
  readonly agent: string
  readonly begin: (by: Orchestrator, signal: AbortSignal) => Promise<RunResult>
}

export type JobEnd =
  | { readonly kind: 'rested'; readonly result: RunResult }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** Removed before it started. */
  | { readonly kind: 'dropped' }
  /** Not started, because the daemon stops. */
  | { readonly kind: 'left' }

export interface Job extends JobRequest {
  /** The sessions that were open in it. */
  readonly members: Set<string>
  /** Resolves when the session is recorded, or the job is over. */
  readonly begun: Promise<'begun' | JobEnd>
  /** Resolves when the message is recorded, or the job is over. */
  readonly delivered: Promise<'heard' | JobEnd>
  readonly over: Promise<JobEnd>
}

interface OwnJob extends Job {
  readonly isFirst: boolean
  readonly stop: AbortController
  settleBegun(end: 'begun' | JobEnd): void
  settleHeard(end: 'heard' | JobEnd): void
  settle(end: JobEnd): void
}

/** The end of a job that was started. */
export type StartedJobEnd = Exclude<JobEnd, { kind: 'dropped' | 'left' }>

export interface JobsOptions {
  readonly parallel: () => number
  readonly orchestrator: () => Orchestrator
  readonly rested: (job: Job, end: StartedJobEnd) => void
}

export class Jobs {
  readonly #options: JobsOptions
  #waiting: OwnJob[] = []
  /** By root. */
  readonly #running = new Map<string, OwnJob>()
  /** Sessions that are open in this process, and their jobs. */
  readonly #open = new Map<string, OwnJob>()
  readonly #agents = new Map<string, string>()
  #holds = 0
  #quiet: (() => void)[] = []

  constructor(options: JobsOptions) {
    this.#options = options
  }

  add(request: JobRequest, { first = false } = {}): Job {
    const job = createJob(request, first)
    // After earlier messages, so that messages keep their order.
    const at = first ? this.#waiting.findIndex(({ isFirst }) => !isFirst) : -1
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, job)
    this.#pump()
    return job
  }

  /** Returns whether there is a job for this session or tree. */
  has(session: string): boolean {
    return this.#running.has(session) || this.of(session) !== undefined
  }

  of(session: string): Job | undefined {
    const isIts = (job: OwnJob) => job.session === session
    return this.#waiting.find(isIts) ?? [...this.#running.values()].find(isIts)
  }

  /** Returns whether a job of this tree runs or waits. */
  hasTree(root: string): boolean {
    return this.#running.has(root) || this.#waiting.some((job) => job.root === root)
  }

  running(root: string): Job | undefined {
    return this.#running.get(root)
  }

  isOpen(session: string): boolean {
    return this.#open.has(session)
  }

  /** The agents of open sessions. Waiting jobs have the agents of their requests. */
  agents(): Iterable<readonly [session: string, agent: string]> {
    return [...this.#agents, ...this.#waiting.map(({ session, agent }) => [session, agent] as const)]
  }

  /** Removes a job that has not started. */
  drop(session: string): boolean {
    const dropped = this.#waiting.filter((job) => job.session === session)
    this.#waiting = this.#waiting.filter((job) => job.session !== session)
    for (const job of dropped) job.settle({ kind: 'dropped' })
    return dropped.length > 0
  }

  observe(event: CadreEvent): void {
    const { session, type } = event
    if (type === 'session.started') {
      const job = this.#running.get(event.root)
      if (job === undefined) return
      job.members.add(session)
      this.#open.set(session, job)
      this.#agents.set(session, event.agent)
      if (session === job.session) job.settleBegun('begun')
      return
    }
    if (
      type === 'text.added' ||
      type === 'call.progressed' ||
      type === 'notice.added' ||
      type === 'session.queued'
    )
      return
    const job = this.#open.get(session)
    // The first event after the session was opened, and therefore after its message was recorded.
    if (job?.session === session) job.settleHeard('heard')
  }

  counts(): { readonly running: readonly string[]; readonly queued: readonly string[] } {
    return {
      running: [...this.#running.values()].map(({ session }) => session),
      queued: this.#waiting.map(({ session }) => session),
    }
  }

  async hold(pauses: boolean, signal?: AbortSignal): Promise<void> {
    this.#holds += 1
    if (pauses) this.#options.orchestrator().pause()
    if (this.#running.size === 0 || signal?.aborted) return
    await new Promise<void>((resolve) => {
      this.#quiet.push(resolve)
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  /** Removes all jobs that have not started. */
  clear(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const job of waiting) job.settle({ kind: 'left' })
  }

  release(): void {
    this.#holds = Math.max(0, this.#holds - 1)
    this.#pump()
  }

  #pump(): void {
    while (this.#holds === 0 && this.#running.size < this.#options.parallel()) {
      const at = this.#waiting.findIndex(({ root }) => !this.#running.has(root))
      const [job] = at < 0 ? [] : this.#waiting.splice(at, 1)
      if (job === undefined) return
      this.#running.set(job.root, job)
      void this.#run(job)
    }
  }

  async #run(job: OwnJob): Promise<void> {
    let end: StartedJobEnd
    try {
      end = { kind: 'rested', result: await job.begin(this.#options.orchestrator(), job.stop.signal) }
    } catch (error) {
      end = { kind: 'failed', error }
    }
    job.members.add(job.session)
    this.#running.delete(job.root)
    for (const session of job.members) {
      if (this.#open.get(session) === job) this.#open.delete(session)
      this.#agents.delete(session)
    }
    this.#options.rested(job, end)
    job.settle(end)
    this.#pump()
    if (this.#running.size > 0) return
    const quiet = this.#quiet
    this.#quiet = []
    for (const resolve of quiet) resolve()
  }
}

function createJob(request: JobRequest, isFirst: boolean): OwnJob {
  let settleBegun: OwnJob['settleBegun'] = () => {}
  let settleHeard: OwnJob['settleHeard'] = () => {}
  let settleOver: (end: JobEnd) => void = () => {}
  const begun = new Promise<'begun' | JobEnd>((resolve) => {
    settleBegun = resolve
  })
  const heard = new Promise<'heard' | JobEnd>((resolve) => {
    settleHeard = resolve
  })
  const over = new Promise<JobEnd>((resolve) => {
    settleOver = resolve
  })
  return {
    ...request,
    isFirst,
    members: new Set(),
    stop: new AbortController(),
    begun,
    delivered: heard,
    over,
    settleBegun,
    settleHeard,
    settle(end) {
      settleBegun(end)
      settleHeard(end)
      settleOver(end)
    },
  }
}
