/**
 * Owns the queue of requests for sessions that run on workers. Called by the remote keeper.
 *
 * 1. A request is in the queue on disk before its caller continues. It leaves the queue when the session's file shows it, and is sent
 *    again after a restart: the ids of sessions and messages prevent a second effect.
 * 2. At most `parallel` trees run for this daemon; other new sessions wait in the queue.
 * 3. The requests of one session are sent one after the other. If one fails, those of other sessions do not wait for it.
 */
import { messageOf, type StoredSession } from '@cadre/core'
import { currentUser } from '@cadre/disk'
import type { KeeperOptions } from '../sessions/create-session-keeper.ts'
import { hasReceived } from '../sessions/deliveries.ts'
import {
  type DeliveryQueue,
  type QueuedDelivery,
  type QueuedRequest,
  startRequestOf,
} from '../sessions/delivery-queue.ts'
import { requireAgent } from '../sessions/start-request.ts'
import { pauseMs } from './pause.ts'
import type { PlaceSessions } from './place-sessions.ts'
import type { RemoteRuns } from './remote-runs.ts'
import type { RemoteTrees } from './remote-trees.ts'
import type { SessionMirror } from './session-mirror.ts'

export interface RemoteDeliveriesOptions
  extends Pick<KeeperOptions, 'workspace' | 'parallel' | 'parts' | 'note'> {
  readonly queue: DeliveryQueue
  readonly sessions: PlaceSessions
  readonly trees: RemoteTrees
  readonly runs: RemoteRuns
  readonly mirror: SessionMirror
  /** Where the workers run a session that is to work in a folder. Throws if they cannot. */
  readonly workspaceOf: (session: string, folder: string) => string
  /** Sets or clears the problem of a session. */
  readonly report: (session: string, message: string | undefined) => void
}

interface Blocked {
  readonly reason: string
  readonly failures: number
  readonly notBefore: number
}

export class RemoteDeliveries {
  readonly #options: RemoteDeliveriesOptions
  readonly #queue: DeliveryQueue
  readonly #serving = new Set<string>()
  /** Requests that the server has, by file. */
  readonly #sent = new Set<string>()
  readonly #blocked = new Map<string, Blocked>()
  #holds = 0
  #isClosed = false

  constructor(options: RemoteDeliveriesOptions) {
    this.#options = options
    this.#queue = options.queue
  }

  add(request: QueuedRequest, session: string): void {
    this.#queue.add(request)
    void this.#serve(session)
  }

  isToBeStarted(session: string): boolean {
    return this.#queue.of(session).some((queued) => startRequestOf(queued) !== undefined)
  }

  hasMessage(session: string, message: string): boolean {
    return this.#queue.hasMessage(session, message)
  }

  /** Whether the file of a session does not show all requests yet. */
  isPending(session: string): boolean {
    return this.#queue.of(session).some((one) => !this.#isSettled(one))
  }

  /** Why the requests of a session cannot be sent. */
  blockedReason(session: string): string | undefined {
    return this.#blocked.get(session)?.reason
  }

  /** Sessions with requests in the queue. */
  sessions(): readonly string[] {
    return this.#queue.sessions()
  }

  /** Sessions that are to be started, with their agents. */
  starting(): readonly (readonly [session: string, agent: string])[] {
    return this.#queue.sessions().flatMap((session) =>
      this.#queue.of(session).flatMap((queued) => {
        const start = startRequestOf(queued)
        return start === undefined ? [] : [[session, start.agent] as const]
      }),
    )
  }

  /** Removes all requests for a session. Returns whether there was one. */
  drop(session: string): boolean {
    const dropped = this.#queue.of(session)
    for (const queued of dropped) this.#queue.remove(queued)
    this.#blocked.delete(session)
    return dropped.length > 0
  }

  /** A tree rests. Requests that its files do not show are sent again. */
  rested(sessions: readonly string[]): void {
    for (const session of sessions) for (const { file } of this.#queue.of(session)) this.#sent.delete(file)
  }

  /** A tree has a result. If it has no file, the orchestrator refused its start. */
  finished(root: string): void {
    const [first] = this.#queue.of(root)
    if (first?.request.kind === 'start' && this.#options.sessions.read(root) === undefined)
      this.#queue.remove(first)
  }

  /** Sends nothing until `release` was called as often. */
  hold(): void {
    this.#holds += 1
  }

  release(): void {
    this.#holds = Math.max(0, this.#holds - 1)
    this.serveAll()
  }

  /** Sends everything that can be sent now. */
  serveAll(): void {
    for (const session of this.#queue.sessions()) {
      const { notBefore = 0 } = this.#blocked.get(session) ?? {}
      if (performance.now() >= notBefore) void this.#serve(session)
    }
  }

  close(): void {
    this.#isClosed = true
  }

  #isSettled({ session, request }: QueuedDelivery): boolean {
    const stored = this.#options.sessions.read(session)
    if (stored === undefined) return false
    return request.kind === 'start' || hasReceived(stored, request.work.message)
  }

  async #serve(session: string): Promise<void> {
    if (this.#serving.has(session)) return
    this.#serving.add(session)
    try {
      while (!this.#isClosed && this.#holds === 0) {
        const [first] = this.#queue.of(session)
        if (first === undefined) break
        if (this.#isSettled(first)) {
          this.#queue.remove(first)
          this.#sent.delete(first.file)
          continue
        }
        if (this.#sent.has(first.file) || !(await this.#send(first))) break
        this.#sent.add(first.file)
      }
      if (this.#blocked.delete(session)) this.#options.report(session, undefined)
    } catch (error) {
      this.#block(session, error)
    } finally {
      this.#serving.delete(session)
    }
  }

  #block(session: string, error: unknown): void {
    const failures = (this.#blocked.get(session)?.failures ?? 0) + 1
    const reason = messageOf(error)
    this.#blocked.set(session, { reason, failures, notBefore: performance.now() + pauseMs(failures) })
    this.#options.report(session, `Cannot deliver messages to this session yet: ${reason}`)
  }

  /** Returns false if the request was not sent: it was dropped, or too many trees are running. */
  async #send(queued: QueuedDelivery): Promise<boolean> {
    const { sessions, trees, runs, workspace, parallel, parts, workspaceOf, note } = this.#options
    const { session, request } = queued
    const stored = sessions.read(session)
    if (stored !== undefined && request.kind === 'tell') {
      await this.#tell(session, stored, request.work)
      return true
    }
    const start = startRequestOf(queued)
    if (start === undefined) {
      note({
        type: 'message.dropped',
        message: `A message for ${session} was dropped, because the session no longer exists.`,
        session,
      })
      this.#queue.remove(queued)
      return false
    }
    if (!runs.has(session) && runs.roots().length >= parallel()) return false
    await requireAgent(start, parts().parts)
    const { workspace: wanted = '', ...rest } = start
    await runs.follow(session, start.agent)
    const folder = workspaceOf(session, wanted || workspace)
    await trees.start({ startedBy: currentUser(), ...rest, workspace: folder, plain: false })
    return true
  }

  async #tell(
    session: string,
    { spec }: StoredSession,
    work: Parameters<RemoteTrees['tell']>[1],
  ): Promise<void> {
    const { sessions, trees, runs, mirror } = this.#options
    sessions.requireHere(session)
    await runs.follow(spec.root, spec.agent.name)
    // What a person has changed in the file before applies first.
    await mirror.push(session)
    await trees.tell(session, work)
  }
}
