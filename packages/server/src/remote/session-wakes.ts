/**
 * Resumes sessions that run on workers, and sends the edits of their files. Called by the remote keeper.
 *
 * 1. One of these runs at a time for each session. What is asked meanwhile is done next.
 * 2. What fails is repeated until it succeeds: it takes until a worker is running, and until the command that changed the file has ended.
 * 3. A session that was cancelled is not resumed for what was asked before. If its order is already being sent, it has no effect after the
 *    cancel: only a message, or a person's request to resume, continues a cancelled session. Those are in the queue (`RemoteDeliveries`).
 */
import { CadreError, messageOf, type RunResult } from '@cadre/core'
import { canRunUnattended, idleStateOf } from '@cadre/runtime'
import { beginTimeoutMs, refusalIn, stillRunning } from '../sessions/session-runs.ts'
import { pauseAfterFailures } from './pause-after-failures.ts'
import type { PlaceSessions } from './place-sessions.ts'
import { countResumes, type RemoteDeliveries } from './remote-deliveries.ts'
import type { RemoteRuns } from './remote-runs.ts'
import type { RemoteTrees } from './remote-trees.ts'
import type { SessionMirror } from './session-mirror.ts'

export interface SessionWakesOptions {
  readonly sessions: PlaceSessions
  readonly trees: RemoteTrees
  readonly runs: RemoteRuns
  readonly mirror: SessionMirror
  readonly deliveries: Pick<RemoteDeliveries, 'add' | 'isToBeResumed' | 'isToBeCancelled'>
  /** Sets or clears the problem of a session. */
  readonly report: (session: string, message: string | undefined) => void
}

/** What is asked of a session that is being resumed. */
interface Waking {
  /** Again, because the file may have changed since, or more is asked. */
  isDue: boolean
  resumes: boolean
  isCancelled: boolean
  isQuiet: boolean
}

const delay = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref())

export class SessionWakes {
  readonly #options: SessionWakesOptions
  /** Sessions that are being resumed, or whose edit is being sent. */
  readonly #waking = new Map<string, Waking>()
  /** Runs that a person has resumed, until they have begun. Called with their result. */
  readonly #restarting = new Map<string, (result: RunResult | undefined) => void>()
  #isClosed = false

  constructor(options: SessionWakesOptions) {
    this.#options = options
  }

  /** Resumes a session that can continue without a person. Returns before it runs. */
  async resume(session: string): Promise<void> {
    const { sessions } = this.#options
    const stored = sessions.read(session)
    if (stored === undefined || this.#isClosed) return
    sessions.requireHere(session)
    const { root, agent } = stored.spec
    const isFollowed = this.#isRun(root)
    if (!isFollowed && !(await canRunUnattended(stored, sessions.readIfPossible))) return
    void this.#wake(session, root, agent.name, { resumes: !isFollowed })
  }

  /** Resumes a session for a person. The request is on disk when this returns. Rejects if the worker refuses it. */
  async resumeOnRequest(session: string): Promise<void> {
    const { sessions, runs, deliveries } = this.#options
    const stored = sessions.read(session)
    if (stored === undefined) throw new CadreError('not_found', `there is no session ${session}.`)
    sessions.requireHere(session)
    const { root, agent } = stored.spec
    if (this.#isRun(root)) {
      if (idleStateOf(stored).kind !== 'ended' && !deliveries.isToBeCancelled(session)) return
      throw stillRunning(session)
    }
    if (deliveries.isToBeResumed(session)) return
    await runs.expect(root, agent.name, session)
    const result = new Promise<RunResult | undefined>((resolve) => this.#restarting.set(root, resolve))
    try {
      deliveries.add({ kind: 'resume', session, resumed: countResumes(stored) }, session)
    } catch (error) {
      this.#restarting.delete(root)
      runs.unexpect(root, session)
      throw error
    }
    const ended = await Promise.race([result, delay(beginTimeoutMs)])
    this.#restarting.delete(root)
    // A run that has recorded something has begun.
    const hasBegun = (sessions.read(session)?.entries.length ?? 0) > stored.entries.length
    const refusal = ended && !hasBegun ? refusalIn(ended) : undefined
    if (refusal !== undefined) throw refusal
  }

  /** Sends an edit that gives the session no work. */
  async pushEdit(session: string): Promise<void> {
    const stored = this.#options.sessions.read(session)
    if (stored === undefined) return
    const { root, agent } = stored.spec
    await this.#wake(session, root, agent.name, { isQuiet: true })
  }

  /** A session was cancelled. */
  cancel(session: string, root: string): void {
    this.#restarting.get(root)?.(undefined)
    const asked = this.#waking.get(session)
    if (asked !== undefined) Object.assign(asked, { resumes: false, isCancelled: true })
  }

  /** A tree rests. */
  ended(root: string, result: RunResult | undefined): void {
    this.#restarting.get(root)?.(result)
  }

  close(): void {
    this.#isClosed = true
    for (const end of this.#restarting.values()) end(undefined)
  }

  /** Whether a tree is followed for more than an edit of its record. */
  #isRun(root: string): boolean {
    const { runs } = this.#options
    return runs.has(root) && !runs.isQuiet(root)
  }

  /** Callers must not wait: this takes until a worker is running, and until the command that changed the file has ended. */
  async #wake(
    session: string,
    root: string,
    agent: string,
    { resumes = false, isQuiet = false },
  ): Promise<void> {
    const { trees, runs, mirror, report } = this.#options
    const known = this.#waking.get(session)
    if (known !== undefined) {
      known.isDue = true
      known.resumes ||= resumes
      known.isQuiet &&= isQuiet
      return
    }
    let failures = 0
    const asked: Waking = { isDue: true, resumes, isCancelled: false, isQuiet }
    this.#waking.set(session, asked)
    while (asked.isDue && !this.#isClosed) {
      const now = { ...asked }
      Object.assign(asked, { isDue: false, resumes: false, isCancelled: false })
      try {
        await runs.follow(root, agent, now)
        const isPushed = await mirror.push(session)
        if (isPushed) runs.changed(root)
        if (!isPushed && now.resumes && !asked.isCancelled) await trees.resume(session)
        if (failures > 0) report(session, undefined)
        failures = 0
      } catch (error) {
        // The command that answered a question holds the session until it ends.
        const isBrief = error instanceof CadreError && error.code === 'owned' && failures < 4
        if (!isBrief) report(session, `Cannot resume this session yet: ${messageOf(error)}`)
        asked.isDue = true
        asked.resumes ||= now.resumes && !asked.isCancelled
        await delay(isBrief ? 250 * ++failures : pauseAfterFailures(++failures))
      }
    }
    this.#waking.delete(session)
  }
}
