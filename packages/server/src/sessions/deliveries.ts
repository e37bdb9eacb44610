/**
 * Owns the delivery of queued requests to sessions. Called by the session keeper, which does not wait for it.
 *
 * 1. Each session has its own delivery loop: a busy session never delays another.
 * 2. Requests for a session are delivered in order. A request leaves the queue once the session has recorded it. After a crash
 *    it is in the queue, in the record, or in both; the message id prevents a second delivery.
 * 3. A request that cannot be delivered stays queued. It is retried with growing delays, and when something changes.
 * 4. A start that the orchestrator refuses is reported through `onRest` and leaves the queue. A message is never discarded that way.
 */

import type { Problems, RecordEvent } from '@cadre/channels'
import { CadreError, foldEntries, messageOf, type RunResult, type StoredSession } from '@cadre/core'
import type { FileEngine } from '@cadre/journal'
import type { DaemonParts } from '../daemon/daemon-runtime.ts'
import {
  type DeliveryQueue,
  droppedMessage,
  type QueuedDelivery,
  type QueuedRequest,
  startRequestOf,
} from './delivery-queue.ts'
import { hasErrorCode } from './has-error-code.ts'
import type { Job } from './jobs.ts'
import { fileOfSession, type SessionRuns } from './session-runs.ts'
import { requireAgent, sessionStartOf } from './start-request.ts'

export interface DeliveriesOptions {
  readonly queue: DeliveryQueue
  readonly runs: SessionRuns
  readonly engine: Pick<FileEngine, 'read'>
  /** For sessions that are started without a workspace. */
  readonly workspace: string
  readonly parts: () => DaemonParts
  readonly trouble: (error: unknown) => boolean
  readonly note: RecordEvent
  readonly problems: Problems
}

interface Blocked {
  readonly reason: string
  readonly failures: number
  /** In the time of `performance.now()`, because the system clock can be changed. */
  readonly notBefore: number
}

const firstPause = 1000
const maxPause = 60_000

export class Deliveries {
  readonly #options: DeliveriesOptions
  readonly #serving = new Set<string>()
  /** For each running session: hands newly queued messages over to it. */
  readonly #handOver = new Map<string, () => void>()
  readonly #blocked = new Map<string, Blocked>()
  #isClosed = false

  constructor(options: DeliveriesOptions) {
    this.#options = options
  }

  /** The request is on disk when this returns. Throws system errors; the request is then not queued. */
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

  /** Delivers everything in the queues, without waiting for retry delays. */
  serveAll(): void {
    for (const session of this.#options.queue.sessions()) void this.#serve(session)
  }

  /** Retries failed deliveries whose delay has passed. */
  retry(): void {
    const now = performance.now()
    for (const [session, { notBefore }] of this.#blocked) if (now >= notBefore) void this.#serve(session)
  }

  /** Removes all requests for a session from the queue. Returns how many there were. */
  drop(session: string): number {
    const { queue } = this.#options
    const all = queue.of(session)
    for (const queued of all) queue.remove(queued)
    this.#unblock(session)
    return all.length
  }

  /** The reason why deliveries to this session fail, if they do. */
  blockedBy(session: string): string | undefined {
    return this.#blocked.get(session)?.reason
  }

  /** Stops delivering. Queued requests stay on disk for the next process. */
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

  /** Takes one step to deliver a request. Rejects if that is not possible now. */
  async #deliver(queued: QueuedDelivery): Promise<void> {
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
      throw new CadreError(
        'owned',
        `process ${pid} is running ${session}. Cadre delivers the message when that process is done.`,
      )
    runs.requireHere(stored)
    const { work } = request
    const job = runs.add(
      { session, root, agent: agent.name, begin: (by, signal) => by.resume(session, { work }, signal) },
      { first: true },
    )
    return this.#follow(queued, job)
  }

  async #begin(queued: QueuedDelivery): Promise<void> {
    const { runs, parts, workspace, note } = this.#options
    const { session } = queued
    const start = startRequestOf(queued)
    if (start === undefined) {
      note(droppedMessage(session))
      return this.#settle(queued)
    }
    await requireAgent(start, parts())
    if (!this.#isWanted(queued)) return
    const begin = sessionStartOf(start, workspace)
    return this.#follow(queued, runs.add({ session, root: session, agent: start.agent, begin }))
  }

  /** Hands over all queued messages, including new ones, so that the session reads them together at its next round. */
  async #tellRunning(session: string, running: Job): Promise<void> {
    const { queue, runs } = this.#options
    // The orchestrator does not know the session before that.
    if (running.session === session) await running.begun
    const handed = new Map<QueuedDelivery, Promise<boolean>>()
    let failure: { readonly error: unknown } | undefined
    const tell = async (queued: QueuedDelivery) => {
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
      // The session ended or went to sleep before it read them.
      if (heard.includes(false)) await running.over
    } finally {
      this.#handOver.delete(session)
    }
  }

  /** Waits until the session has recorded the request, or the run is over. */
  async #follow(queued: QueuedDelivery, job: Job): Promise<void> {
    const { engine, runs, trouble } = this.#options
    const { session, request } = queued
    await Promise.race([job.delivered, job.over])
    if (this.#settledBy(await engine.read(session), queued)) return
    const end = await job.over
    if (end.kind === 'left') return
    if (end.kind === 'dropped') return this.#settle(queued)
    if (this.#settledBy(await engine.read(session), queued)) return
    const isRetried =
      request.kind === 'tell' ||
      (end.kind === 'failed' && (hasErrorCode(end.error, 'owned') || trouble(end.error)))
    if (isRetried)
      throw end.kind === 'failed' ? end.error : new CadreError('agent_execution', reasonOf(end.result))
    this.#settle(queued)
    // Listeners that checked the state when the run ended still saw the request in the queue.
    runs.notifyRested(job, end)
  }

  #isWanted(queued: QueuedDelivery): boolean {
    return !this.#isClosed && this.#options.queue.has(queued)
  }

  #settle(queued: QueuedDelivery): void {
    this.#options.queue.remove(queued)
  }

  /** True when the request is done: the session to start exists, or the message is in the record, accepted or refused. */
  #settledBy(stored: StoredSession | undefined, queued: QueuedDelivery): boolean {
    const { session, request } = queued
    if (stored === undefined) return false
    if (request.kind === 'tell') {
      if (!hasReceived(stored, request.work.message)) return false
      if (isRefused(stored, request.work.message))
        this.#options.note({
          type: 'message.refused',
          message: `A hook rejected a message to ${session}.`,
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
    const isOwned = hasErrorCode(error, 'owned')
    // Checking whether another process has ended is cheap.
    const pause = isOwned ? 0 : Math.min(maxPause, firstPause * 2 ** (failures - 1))
    this.#blocked.set(session, { reason, failures, notBefore: performance.now() + pause })
    if (isOwned || trouble(error)) return
    const message = `Cannot deliver messages to this session yet: ${reason}`
    problems.report('run', fileOfSession(session), [{ severity: 'error', message }])
  }

  #unblock(session: string): void {
    if (this.#blocked.delete(session)) this.#options.problems.report('run', fileOfSession(session), [])
  }
}

export function hasReceived({ entries, spec }: StoredSession, message: string): boolean {
  return foldEntries(entries, spec.id).receivedMessages.has(message)
}

function isRefused({ entries }: StoredSession, message: string): boolean {
  return entries.some(
    (entry) => entry.role === 'event' && entry.type === 'session.stopped' && entry['message'] === message,
  )
}

/** The reason why a run ended without recording the message. */
function reasonOf(result: RunResult): string {
  if (result.kind === 'waiting') return 'the session was suspended before it read the message'
  return (
    result.report.notices?.map(({ message }) => message).join('; ') ||
    'the session ended before it read the message'
  )
}
