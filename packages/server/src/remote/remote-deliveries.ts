/**
 * Owns the queue of requests for sessions that run on workers. Called by the remote keeper.
 *
 * 1. A request is in the queue on disk before its caller continues. It leaves the queue when the session's file shows it, and is sent
 *    again after a restart: the ids of sessions, messages and resumes prevent a second effect. A resume also leaves the queue when its
 *    tree rests, because a worker may refuse it, and a cancel when the server has it.
 * 2. At most `parallel` trees run for this daemon; other new sessions wait in the queue.
 * 3. The requests of one session are sent one after the other. If one fails, those of other sessions do not wait for it.
 * 4. An order is sent only while its request is in the queue. A cancel removes the requests before it, including those for sessions below
 *    its own, so none of them is sent after it. It does not wait until their orders are prepared, which can take until a worker is running. If
 *    an order to its own session is being sent, the cancel is sent after it.
 * 5. A worker may refuse a start before the session has a record, for example because it has no model that it can use. The request then stays
 *    in the queue, with the reason as the problem of the session. It is sent again after pauses, because any reason can go away, until the
 *    session has a record, a person cancels it, or a corrected file replaces it. The server stores each attempt once. Only a start whose
 *    caller shows the failure itself leaves the queue. A message to a session that has a record is repeated in the same way if the tree has
 *    rested several times without it, unless the session was cancelled.
 */
import { randomUUID } from 'node:crypto'
import { messageOf, type RunResult, type StoredSession } from '@cadre/core'
import { currentUser } from '@cadre/disk'
import type { KeepRequest } from '../session-keeper.ts'
import type { KeeperOptions } from '../sessions/create-session-keeper.ts'
import { hasReceived } from '../sessions/deliveries.ts'
import {
  type DeliveryQueue,
  droppedMessage,
  type QueuedDelivery,
  type QueuedOrder,
  startRequestOf,
} from '../sessions/delivery-queue.ts'
import { requireAgent } from '../sessions/start-request.ts'
import { isWithin } from './is-within.ts'
import { pauseAfterFailures } from './pause-after-failures.ts'
import type { PlaceSessions } from './place-sessions.ts'
import type { RemoteRuns } from './remote-runs.ts'
import type { RemoteTrees } from './remote-trees.ts'
import type { SessionMirror } from './session-mirror.ts'

export interface RemoteDeliveriesOptions
  extends Pick<KeeperOptions, 'workspace' | 'parallel' | 'parts' | 'note'> {
  readonly queue: DeliveryQueue<QueuedOrder>
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
  /** The request, if a worker has refused it. */
  readonly refused?: string
}

/** A tree that gets a message has it when it next rests, or at its rest after that if it was just resting. */
const maxRests = 3

/** What to send for a request. */
interface Order {
  readonly root: string
  send(): Promise<unknown>
}

export class RemoteDeliveries {
  readonly #options: RemoteDeliveriesOptions
  readonly #queue: DeliveryQueue<QueuedOrder>
  readonly #serving = new Set<string>()
  /** Ends the preparation of the order that is sent next to a session. */
  readonly #preparing = new Map<string, () => void>()
  /** Requests that the server has, by file, and those that it may have, because sending them was tried. */
  readonly #sent = new Map<string, 'sent' | 'tried'>()
  /** How often the tree of a message that the server has rested without it, by file. */
  readonly #rests = new Map<string, number>()
  /** Identifies the current attempt to send a message that a worker has rejected, by file. */
  readonly #attempts = new Map<string, string>()
  readonly #blocked = new Map<string, Blocked>()
  #holds = 0
  #isClosed = false

  constructor(options: RemoteDeliveriesOptions) {
    this.#options = options
    this.#queue = options.queue
  }

  add(request: QueuedOrder, session: string): void {
    this.#queue.add(request)
    void this.#serve(session)
  }

  /**
   * Queues a start from a file, to be sent with `serveAll`. It replaces a start that was not sent, or that a worker has refused. Returns false
   * if the session is to be started in another way.
   */
  queueStart(request: KeepRequest): boolean {
    const session = request.id
    const wanted: QueuedOrder = { kind: 'start', request }
    const known = this.#queue.of(session).find((queued) => startRequestOf(queued) !== undefined)
    if (known === undefined) this.#queue.add(wanted)
    // The daemon was killed before it moved the file.
    else if (JSON.stringify(known.request) === JSON.stringify(wanted)) return true
    else if (known.request.kind !== 'start' || this.#mayBeSent(known)) return false
    else {
      this.#queue.replace(known, wanted)
      this.#preparing.get(session)?.()
      this.#unblock(session)
    }
    return true
  }

  isToBeStarted(session: string): boolean {
    return this.#queue.of(session).some((queued) => startRequestOf(queued) !== undefined)
  }

  hasMessage(session: string, message: string): boolean {
    return this.#queue.hasMessage(session, message)
  }

  /** Whether the file of a session does not show all requests yet. */
  isPending(session: string): boolean {
    const queued = this.#queue.of(session)
    if (queued.length === 0) return false
    const stored = this.#options.sessions.read(session)
    return queued.some(({ request }) => !isSettled(request, stored))
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

  /** Whether a cancel was not sent yet. */
  isToBeCancelled(session: string): boolean {
    return this.#queue.of(session).some(({ request }) => request.kind === 'cancel')
  }

  /** Whether a person's request to resume a session was not sent yet, or its file does not show it. */
  isToBeResumed(session: string): boolean {
    return this.#queue.of(session).some(({ request }) => request.kind === 'resume')
  }

  /**
   * Drops all requests for a session and the sessions below it, and cancels the session if it runs or one of them may have reached the
   * server. Returns false if there is nothing to cancel. `isOpen`: the session runs or can continue, as far as its file and its tree show.
   */
  cancel(
    target: { readonly session: string; readonly root: string; readonly agent: string },
    reason: string,
    { stored, isOpen }: { readonly stored: StoredSession | undefined; readonly isOpen: boolean },
  ): boolean {
    const { sessions, runs } = this.#options
    const { session, root } = target
    const read = (one: string) => (one === session ? stored : sessions.readNow(one))
    const ids = this.#queue.sessions().filter((one) => isWithin(one, session, read))
    const dropped = ids.flatMap((one) => this.#queue.of(one))
    const open = dropped.filter((queued) => !isSettled(queued.request, read(queued.session)))
    // An earlier cancel is there because the server may have something to cancel.
    const mayBeKnown = (queued: QueuedDelivery<QueuedOrder>) =>
      queued.request.kind === 'cancel' || this.#mayBeSent(queued)
    const isOrdered = isOpen || open.some(mayBeKnown)
    // It is on disk before they are not.
    if (isOrdered) this.#queue.add({ kind: 'cancel', ...target, reason })
    for (const queued of dropped) this.#remove(queued)
    for (const one of ids) {
      this.#preparing.get(one)?.()
      this.#unblock(one)
      if (one !== session) runs.unexpect(root, one)
    }
    if (isOrdered) void this.#serve(session)
    else runs.unexpect(root, session)
    return isOrdered || open.length > 0
  }

  /** A tree rests. Messages that its files do not show are sent again. */
  rested(sessions: readonly string[], result: RunResult | undefined): void {
    for (const session of sessions) {
      const isStarted = isRecord(this.#options.sessions.readNow(session))
      for (const queued of this.#queue.of(session)) {
        const { file, request } = queued
        const isSent = this.#sent.get(file) === 'sent'
        const isTold = isSent && isStarted && request.kind === 'tell'
        if (isSent && request.kind === 'resume') this.#remove(queued)
        else if (isTold && this.#countRest(file) >= maxRests) this.#unread(queued, result)
        else if (this.#sent.has(file)) this.#sent.set(file, 'tried')
      }
    }
  }

  #countRest(file: string): number {
    const rests = (this.#rests.get(file) ?? 0) + 1
    this.#rests.set(file, rests)
    return rests
  }

  /** A worker has rejected a message, for example because it cannot use the model of the session, or a cancel has taken it back. */
  #unread(queued: QueuedDelivery<QueuedOrder>, result: RunResult | undefined): void {
    const { file, session } = queued
    if (this.#isCancelled(session)) {
      this.#drop(queued)
      return
    }
    this.#rests.delete(file)
    this.#attempts.set(file, randomUUID())
    const reason = reasonIn(result) || 'the session has rested without reading them'
    this.#rejected(queued, 'deliver messages to this session', reason)
  }

  /** Whether a session, or one above it, was cancelled. */
  #isCancelled(session: string): boolean {
    const read = (id: string) => this.#options.sessions.readNow(id)
    const above = new Set<string>()
    for (let id: string | undefined = session; id !== undefined && !above.has(id); ) {
      above.add(id)
      id = read(id)?.spec.parent?.session
    }
    return [...above].some((id) => read(id)?.outcome === 'cancelled')
  }

  #rejected({ file, session }: QueuedDelivery<QueuedOrder>, what: string, reason: string): void {
    this.#sent.delete(file)
    this.#setBlocked(session, reason, file)
    this.#options.report(session, `Cannot ${what} yet: ${reason}`)
  }

  /** A cancel without this daemon has taken the message back, and the server does not accept it again. */
  #drop(queued: QueuedDelivery<QueuedOrder>): void {
    this.#options.note(droppedMessage(queued.session, 'the session was cancelled after it was sent'))
    this.#remove(queued)
  }

  /** A tree has a result. If it has no record, its start was refused. Returns whether the start is sent again. */
  finished(root: string, result: RunResult): boolean {
    const [first] = this.#queue.of(root)
    if (first === undefined || isRecord(this.#options.sessions.readNow(root))) return false
    const start = startRequestOf(first)
    if (start === undefined) return false
    const status = result.kind === 'report' ? result.report.status : 'error'
    if (status === 'error' && !start.reportsFailure) {
      this.#rejected(
        first,
        'start this session',
        reasonIn(result) || 'the session was suspended before it began',
      )
      return true
    }
    if (status === 'cancelled') this.#drop(first)
    else this.#remove(first)
    return false
  }

  /** Whether the server may have a request that it can still carry out. */
  #mayBeSent({ file, session, isRestored }: QueuedDelivery<QueuedOrder>): boolean {
    return this.#sent.has(file) || (isRestored === true && this.#blocked.get(session)?.refused !== file)
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

  async #serve(session: string): Promise<void> {
    if (this.#serving.has(session)) return
    this.#serving.add(session)
    try {
      while (this.#isOpen()) {
        const [first] = this.#queue.of(session)
        if (first === undefined) break
        const { file, request } = first
        if (isSettled(request, this.#options.sessions.read(session))) {
          this.#remove(first)
          continue
        }
        if (this.#sent.get(file) === 'sent' || this.#isPaused(first)) break
        const order = await this.#untilDropped(session, this.#prepare(first))
        if (!this.#queue.has(first)) continue
        if (order === undefined || !this.#isOpen()) break
        // The tree has rested since, and is no longer followed.
        if (!this.#options.runs.ordered(order.root, session)) continue
        this.#sent.set(file, 'tried')
        // The tree may rest before the order arrives.
        if (request.kind !== 'start') this.#options.runs.changed(order.root)
        await order.send()
        if (request.kind === 'cancel') this.#remove(first)
        // A worker may have refused it before the server's answer arrived.
        else if (this.#sent.has(file)) this.#sent.set(file, 'sent')
      }
      // Whether a worker starts it now is known later.
      const [left] = this.#queue.of(session)
      if (left === undefined || this.#blocked.get(session)?.refused !== left.file) this.#unblock(session)
    } catch (error) {
      this.#block(session, error)
    } finally {
      this.#serving.delete(session)
    }
  }

  #isPaused({ file, session }: QueuedDelivery<QueuedOrder>): boolean {
    const { refused, notBefore = 0 } = this.#blocked.get(session) ?? {}
    return refused === file && performance.now() < notBefore
  }

  #isOpen(): boolean {
    return !this.#isClosed && this.#holds === 0
  }

  /** Resolves to `undefined` as soon as the requests of the session are dropped. */
  async #untilDropped<T>(session: string, work: Promise<T>): Promise<T | undefined> {
    const dropped = new Promise<undefined>((resolve) =>
      this.#preparing.set(session, () => resolve(undefined)),
    )
    try {
      return await Promise.race([work, dropped])
    } finally {
      this.#preparing.delete(session)
    }
  }

  #remove(queued: QueuedDelivery<QueuedOrder>): void {
    this.#queue.remove(queued)
    this.#sent.delete(queued.file)
    this.#rests.delete(queued.file)
    this.#attempts.delete(queued.file)
  }

  #unblock(session: string): void {
    if (this.#blocked.delete(session)) this.#options.report(session, undefined)
  }

  #block(session: string, error: unknown): void {
    const [first] = this.#queue.of(session)
    if (first === undefined) return
    const reason = messageOf(error)
    this.#setBlocked(session, reason)
    const { kind } = first.request
    const what =
      kind === 'resume' || kind === 'cancel' ? `${kind} this session` : 'deliver messages to this session'
    this.#options.report(session, `Cannot ${what} yet: ${reason}`)
  }

  #setBlocked(session: string, reason: string, refused?: string): void {
    const failures = (this.#blocked.get(session)?.failures ?? 0) + 1
    const notBefore = performance.now() + pauseAfterFailures(failures)
    this.#blocked.set(session, { reason, failures, notBefore, ...(refused !== undefined && { refused }) })
  }

  /** Returns `undefined` if there is nothing to send: the request was dropped, or too many trees are running. */
  #prepare(queued: QueuedDelivery<QueuedOrder>): Promise<Order | undefined> {
    if (queued.request.kind === 'cancel') return this.#prepareCancel(queued, queued.request)
    const stored = this.#options.sessions.read(queued.session)
    if (stored !== undefined && queued.request.kind !== 'start') return this.#prepareMessage(queued, stored)
    return this.#prepareStart(queued)
  }

  async #prepareStart(queued: QueuedDelivery<QueuedOrder>): Promise<Order | undefined> {
    const { trees, runs, workspace, parallel, parts, workspaceOf, note } = this.#options
    const { session } = queued
    const start = startRequestOf(queued)
    if (start === undefined) {
      note(droppedMessage(session))
      this.#remove(queued)
      return undefined
    }
    const isFull = () => !runs.has(session) && runs.count() >= parallel()
    if (isFull()) return undefined
    await requireAgent(start, parts().parts)
    // It has a record, but no file that this daemon may write.
    const isRefused = this.#blocked.get(session)?.refused === queued.file
    if (isRefused && (await trees.read(session)) !== undefined) {
      this.#remove(queued)
      return undefined
    }
    // Other sessions may have been started in the meantime.
    if (isFull() || !this.#queue.has(queued)) return undefined
    const { workspace: wanted = '', reportsFailure: _, ...rest } = start
    const folder = workspaceOf(session, wanted || workspace)
    await runs.expect(session, start.agent, session)
    const send = () => trees.start({ startedBy: currentUser(), ...rest, workspace: folder, plain: false })
    return { root: session, send }
  }

  /** A message for a session that exists, or a request to resume it. */
  async #prepareMessage(
    { file, session, request, isRestored }: QueuedDelivery<QueuedOrder>,
    { spec }: StoredSession,
  ): Promise<Order> {
    const { sessions, trees, runs, mirror } = this.#options
    const { root } = spec
    sessions.requireHere(session)
    await runs.expect(root, spec.agent.name, session)
    // What a person has changed in the file before applies first.
    if (await mirror.push(session)) runs.changed(root)
    if (request.kind === 'tell')
      return { root, send: () => trees.tell(session, request.work, this.#attempts.get(file)) }
    // An earlier process has sent it.
    if (isRestored && (await trees.state(root)).kind === 'running')
      return { root, send: async () => trees.watch(root) }
    // The tree may have run and rested since.
    return { root, send: () => trees.resume(session, {}, `resume-${session}-${file}`) }
  }

  /** Needs no worker, unless it is unknown whether the tree exists. */
  async #prepareCancel(
    queued: QueuedDelivery<QueuedOrder>,
    { session, root, agent, reason }: Extract<QueuedOrder, { kind: 'cancel' }>,
  ): Promise<Order | undefined> {
    const { sessions, trees, runs } = this.#options
    await runs.expect(root, agent, session)
    if (!sessions.isHere(session) && (await trees.state(root)).kind === 'absent') {
      this.#remove(queued)
      runs.unexpect(root, session)
      return undefined
    }
    return { root, send: () => trees.cancel(session, reason, { root }) }
  }
}

/** Whether a file shows a record. People who write a file to start a session omit when it was created. */
function isRecord(stored: StoredSession | undefined): boolean {
  return stored !== undefined && stored.spec.created !== ''
}

/** Why a run failed. */
function reasonIn(result: RunResult | undefined): string {
  if (result?.kind !== 'report' || result.report.status !== 'error') return ''
  return result.report.notices?.map(({ message }) => message).join('; ') ?? ''
}

/** How often a session was resumed. */
export function countResumes({ entries }: StoredSession): number {
  return entries.filter((entry) => entry.role === 'event' && entry.type === 'session.resumed').length
}

/** Whether the file of a session shows that the request was carried out. */
function isSettled(request: QueuedOrder, stored: StoredSession | undefined): boolean {
  if (stored === undefined || request.kind === 'cancel') return false
  if (request.kind === 'resume') return countResumes(stored) > request.resumed
  return request.kind === 'start' ? isRecord(stored) : hasReceived(stored, request.work.message)
}
