/**
 * Owns the delivery of what is queued for sessions. Called by the session keeper; nobody waits for it.
 *
 * 1. Each session is served by itself: one that is busy for a week keeps no other waiting.
 * 2. What is queued for a session is delivered in its order. It leaves the queue when the record of the session has it: whatever
 *    dies in between, the next process finds it in one of them, and the id of a message tells that it is in both.
 * 3. What cannot be delivered now stays queued and is retried: after a pause that grows, and when something has changed.
 * 4. A start is asked for once: when a session that was to be started is refused, whoever asked is told, and it leaves the queue.
 *    A message is never given up for that.
 */
import { CadreError, foldEntries, messageOf, type RunResult, type StoredSession } from '@cadre/core'
import type { FileEngine } from '@cadre/files'
import type { Parts } from '../daemon/daemon-runtime.ts'
import type { Note } from '../happening.ts'
import type { Problems } from '../problems.ts'
import { type DeliveryQueue, type Queued, type QueuedRequest, startOfQueued } from './delivery-queue.ts'
import { isCode } from './is-code.ts'
import type { Job } from './jobs.ts'
import { fileOfSession, type SessionRuns } from './session-runs.ts'
import { requireAgent, startOf } from './start-request.ts'

export interface DeliveriesOptions {
  readonly queue: DeliveryQueue
  readonly runs: SessionRuns
  readonly engine: Pick<FileEngine, 'read'>
  /** Of sessions that are started without one of their own. */
  readonly workspace: string
  readonly parts: () => Parts
  readonly trouble: (error: unknown) => boolean
  readonly note: Note
  readonly problems: Problems
}

interface Blocked {
  readonly reason: string
  readonly failures: number
  /** As `performance.now()` has it: the clock of the machine may be set. */
  readonly notBefore: number
}

const firstPause = 1000
const longestPause = 60_000

export class Deliveries {
  readonly #options: DeliveriesOptions
  readonly #serving = new Set<string>()
  /** Sessions that run and are being told things: what is queued for them now is handed over with this. */
  readonly #handOver = new Map<string, () => void>()
  readonly #blocked = new Map<string, Blocked>()
  #isClosed = false

  constructor(options: DeliveriesOptions) {
    this.#options = options
  }

  /** On disk when it comes back. Throws what the system says; then nothing is queued. */
  add(request: QueuedRequest): void {
    const { queue, trouble } = this.#options
    try {
      queue.add(request)
    } catch (error) {
      trouble(error)
      throw error
    }
    void this.#serve(request.kind === 'start' ? request.request.id : request.session)
  }

  /** Delivers everything that is queued, whatever has failed before. */
  serveAll(): void {
    for (const session of this.#options.queue.sessions()) void this.#serve(session)
  }

  /** Delivers what failed and was not tried for long enough. */
  retry(): void {
    const now = performance.now()
    for (const [session, { notBefore }] of this.#blocked) if (now >= notBefore) void this.#serve(session)
  }

  /** Takes back everything that is queued for a session; gives back how much that was. */
  drop(session: string): number {
    const { queue } = this.#options
    const all = queue.of(session)
    for (const queued of all) queue.remove(queued)
    this.#unblock(session)
    return all.length
  }

  /** Why nothing can be delivered to this session now. */
  blockedBy(session: string): string | undefined {
    return this.#blocked.get(session)?.reason
  }

  /** Nothing is delivered from here on; what is queued is there for the next process. */
  close(): void {
    this.#isClosed = true
  }

  async #serve(session: string): Promise<void> {
    if (this.#serving.has(session)) return this.#handOver.get(session)?.()
    this.#serving.add(session)
    try {
      while (!this.#isClosed) {
        const [first] = this.#options.queue.of(session)
        if (first === undefined) return this.#unblock(session)
        await this.#deliver(first)
      }
    } catch (error) {
      this.#block(session, error)
    } finally {
      this.#serving.delete(session)
    }
  }

  /** One step towards its delivery. Rejects when it cannot be delivered now. */
  async #deliver(queued: Queued): Promise<void> {
    const { engine, runs } = this.#options
    const { session, request } = queued
    const stored = await engine.read(session)
    if (!this.#isWanted(queued)) return
    if (this.#settledBy(stored, queued)) return
    if (stored === undefined || request.kind === 'start') return this.#begin(queued)
    const { root, agent } = stored.spec
    const running = runs.jobs.running(root)
    if (running !== undefined) return this.#tellRunning(session, running)
    const pid = runs.ownerOf(root)
    if (pid !== undefined)
      throw new CadreError('owned', `Process ${pid} runs ${session}. It is delivered when that has ended.`)
    runs.requireHere(stored)
    const { work } = request
    const job = runs.add(
      { session, root, agent: agent.name, begin: (by, signal) => by.resume(session, { work }, signal) },
      { first: true },
    )
    return this.#follow(queued, job)
  }

  async #begin(queued: Queued): Promise<void> {
    const { runs, parts, workspace, note } = this.#options
    const { session } = queued
    const start = startOfQueued(queued)
    if (start === undefined) {
      note({
        type: 'message.dropped',
        message: `A message for ${session} was dropped: the session is gone.`,
        session,
      })
      return this.#settle(queued)
    }
    await requireAgent(start, parts())
    if (!this.#isWanted(queued)) return
    const begin = startOf(start, workspace)
    return this.#follow(queued, runs.add({ session, root: session, agent: start.agent, begin }))
  }

  /** Hands over everything that is queued, and what is queued meanwhile, so that all of it is heard at the next round. */
  async #tellRunning(session: string, running: Job): Promise<void> {
    const { queue, runs } = this.#options
    // Before that there is nobody to tell.
    if (running.session === session) await running.begun
    const handed = new Map<Queued, Promise<boolean>>()
    let failure: { readonly error: unknown } | undefined
    const tell = async (queued: Queued) => {
      const { request } = queued
      const isHeard = request.kind === 'start' || (await runs.orchestrator.tell(session, request.work))
      try {
        if (isHeard) this.#settle(queued)
      } catch (error) {
        failure ??= { error }
      }
      return isHeard
    }
    const handOver = () => {
      for (const queued of queue.of(session)) if (!handed.has(queued)) handed.set(queued, tell(queued))
    }
    this.#handOver.set(session, handOver)
    try {
      handOver()
      let heard: readonly boolean[]
      do heard = await Promise.all(handed.values())
      while (heard.length < handed.size)
      if (failure !== undefined) throw failure.error
      // It ended, or went to sleep, before it heard them.
      if (heard.includes(false)) await running.over
    } finally {
      this.#handOver.delete(session)
    }
  }

  /** Waits until the record has it, or the run for it is over. */
  async #follow(queued: Queued, job: Job): Promise<void> {
    const { engine, runs, trouble } = this.#options
    const { session, request } = queued
    await Promise.race([job.heard, job.over])
    if (this.#settledBy(await engine.read(session), queued)) return
    const end = await job.over
    if (end.kind === 'left') return
    if (end.kind === 'dropped') return this.#settle(queued)
    if (this.#settledBy(await engine.read(session), queued)) return
    const isRetried =
      request.kind === 'tell' || (end.kind === 'failed' && (isCode(end.error, 'owned') || trouble(end.error)))
    if (isRetried)
      throw end.kind === 'failed' ? end.error : new CadreError('agent_execution', reasonOf(end.result))
    this.#settle(queued)
    // Whoever looked when the run ended has seen it in the queue.
    runs.tellRested(job, end)
  }

  #isWanted(queued: Queued): boolean {
    return !this.#isClosed && this.#options.queue.has(queued)
  }

  #settle(queued: Queued): void {
    this.#options.queue.remove(queued)
  }

  /** True when the record has what was asked for: of a start the session itself, of a message that it was heard, or refused. */
  #settledBy(stored: StoredSession | undefined, queued: Queued): boolean {
    const { session, request } = queued
    if (stored === undefined) return false
    if (request.kind === 'tell') {
      if (!hasHeard(stored, request.work.message)) return false
      if (isRefused(stored, request.work.message))
        this.#options.note({
          type: 'message.refused',
          message: `A hook refused a message to ${session}.`,
          session,
        })
    }
    this.#settle(queued)
    return true
  }

  #block(session: string, error: unknown): void {
    const { problems, trouble } = this.#options
    const reason = messageOf(error)
    const failures = (this.#blocked.get(session)?.failures ?? 0) + 1
    const isOwned = isCode(error, 'owned')
    // Whether another process has ended is cheap to see.
    const pause = isOwned ? 0 : Math.min(longestPause, firstPause * 2 ** (failures - 1))
    this.#blocked.set(session, { reason, failures, notBefore: performance.now() + pause })
    if (isOwned || trouble(error)) return
    const message = `What is queued for this session cannot be delivered yet: ${reason}`
    problems.report('run', fileOfSession(session), [{ severity: 'error', message }])
  }

  #unblock(session: string): void {
    if (this.#blocked.delete(session)) this.#options.problems.report('run', fileOfSession(session), [])
  }
}

export function hasHeard({ entries, spec }: StoredSession, message: string): boolean {
  return foldEntries(entries, spec.id).heard.has(message)
}

function isRefused({ entries }: StoredSession, message: string): boolean {
  return entries.some(
    (entry) => entry.role === 'event' && entry.type === 'session.stopped' && entry['message'] === message,
  )
}

/** Why a run came to its end before it had heard anything. */
function reasonOf(result: RunResult): string {
  if (result.kind === 'waiting') return 'it went to sleep before it was told'
  return result.report.notices?.map(({ message }) => message).join('; ') || 'it ended before it was told'
}
