/**
 * Owns the logs of the trees that run in this process. Called by core, through the engine port, and by the invocations of trees.
 *
 * 1. A tree has at most one live log here. A new life waits until an earlier one in this process has stopped its tools, but not forever:
 *    then it gives the tree up, and the server offers it again, perhaps to another worker.
 * 2. The invocation is the lease: the server runs one for each tree at a time. An attempt that the server gives up loses its log. When a
 *    new attempt arrives, all earlier ones of the tree in this process lose theirs.
 * 3. A tree that has just rested is read from memory until the server shows what was archived. Then it is removed from memory.
 * 4. What the engine reads for core is read again until the server answers: a brief failure must not end a tree.
 *    A session that the record of another one names is found even if the directory does not know it yet.
 * 5. A worker that is draining still runs invocations whose journal binds them to its address, and moves their trees on.
 */
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Answer,
  answerIn,
  CadreError,
  type Clock,
  type EarlierLives,
  type Engine,
  messageOf,
  type Report,
  type SessionSpec,
  type StoredSession,
  stopGrace,
} from '@cadre/core'
import { type ProcessIdentity, thisProcess } from '@cadre/disk'
import type { internal, ObjectContext } from '@restatedev/restate-sdk'
import { type Blobs, createBlobs } from '../blobs.ts'
import { createDirectory, type Directory } from '../client/directory.ts'
import { SeenRoots } from '../client/seen-roots.ts'
import { Ingress } from '../ingress.ts'
import type { Sdk } from '../load-sdk.ts'
import type { ArchiveHead } from '../log/archive.ts'
import type { LogItem } from '../log/log-item.ts'
import type { Packed } from '../log/packed.ts'
import { type ReadKeys, readHead, readStored } from '../log/read-archive.ts'
import { retryUntil } from '../log/retry-until.ts'
import type { TreeLog } from '../log/tree-log.ts'
import { onAbort } from '../on-abort.ts'
import { type PlaceNames, placeNames } from '../place-names.ts'
import type { TreeOrder } from '../tree-order.ts'
import type { IndexEntry } from '../worker/handlers.ts'
import { defaultWorkerLimits, type WorkerLimits } from '../worker/worker-options.ts'
import { type Arrival, Arrivals } from './arrivals.ts'
import { recordAnswer } from './carry-out-order.ts'
import { endOfEarlierLives } from './earlier-lives.ts'
import { type AttemptHost, invokeTree, type TreeAttempt } from './invoke-tree.ts'
import { LentTrees } from './lent-trees.ts'
import { LiveEvents } from './live-events.ts'
import type { OrderRunner } from './order-runner.ts'
import { OrderedTree } from './ordered-tree.ts'
import { RestedTrees } from './rested-trees.ts'
import { createTreeLife, type TreeLife } from './tree-life.ts'
import { TreeRun, type TreeRunHost } from './tree-run.ts'

export interface RestateEngineOptions {
  readonly sdk: Sdk
  readonly clock: Clock
  readonly ingress: string
  readonly headers?: Readonly<Record<string, string>>
  readonly place: string
  readonly scope?: string
  readonly limits?: Partial<WorkerLimits>
  /** Replaces the identity of this process, for tests. */
  readonly identity?: Partial<ProcessIdentity>
  readonly project?: (root: string, items: readonly LogItem[]) => void
  readonly onTree?: (root: string, isRunning: boolean) => void
  readonly onLife?: (life: TreeLife) => void
  readonly report?: (message: string) => void
}

/** A server that does not answer for this long may need a person. In milliseconds. */
const reportAfter = 10_000
/** How long a worker that has handed over its trees waits for the server to confirm it, in milliseconds. */
const settleLimit = 10_000
/** Everything that the engine asks the server can be asked again, so a lost answer must not hold a tree up for long. */
const answerWithin = 30_000
/** A lost life stops its tools within `stopGrace`, and then writes nothing more. In milliseconds. */
const unwindLimit = 6 * stopGrace

export class RestateEngine implements Engine, TreeRunHost, AttemptHost {
  readonly sdk: Sdk
  readonly names: PlaceNames
  readonly scope: string
  readonly limits: WorkerLimits
  readonly lent: LentTrees
  readonly liveEvents = new LiveEvents()
  readonly report: (message: string) => void
  readonly blobs: Blobs
  orders: OrderRunner | undefined
  isClosed = false
  isDraining = false
  readonly #options: RestateEngineOptions
  readonly #ingress: Ingress
  readonly #directory: Directory
  readonly #seen = new SeenRoots()
  readonly #self: ProcessIdentity
  readonly #held = new Map<string, TreeAttempt>()
  readonly #rested: RestedTrees
  readonly #trees = new Map<TreeLog, OrderedTree>()
  readonly #unwinding = new Map<string, Promise<void>>()
  readonly #alone = new WeakMap<TreeLog, Promise<EarlierLives>>()
  readonly #children = new Map<string, Promise<Report>>()
  readonly #arrivals = new Arrivals()
  readonly #ended = new AbortController()
  #isFailureReported = false
  #runner: (spec: SessionSpec) => Promise<Report> = () =>
    Promise.reject(new Error('unreachable: no runner is attached'))

  constructor(options: RestateEngineOptions) {
    this.#options = options
    this.sdk = options.sdk
    this.names = placeNames(options.place)
    this.scope = options.scope ?? ''
    this.limits = { ...defaultWorkerLimits, ...options.limits }
    this.report = options.report ?? (() => {})
    this.#ingress = new Ingress({
      url: options.ingress,
      ...(options.headers && { headers: options.headers }),
      answerWithin,
    })
    this.blobs = createBlobs(this.#ingress, this.names.blobs)
    this.#directory = createDirectory(this.#ingress, this.names, this.scope)
    this.#self = thisProcess(options.identity)
    this.#rested = new RestedTrees({ read: this.#read, ended: this.#ended.signal })
    this.lent = new LentTrees((root) =>
      this.#ingress.send(this.names.trees, this.scope + root, 'run', [{ kind: 'lend' }]),
    )
  }

  get logOptions(): AttemptHost['logOptions'] {
    const { fresh, blob } = this.limits
    return { clock: this.#options.clock, blobs: this.blobs, read: this.#read, fresh, blobLimit: blob }
  }

  // The engine port.

  attach(runner: (spec: SessionSpec) => Promise<Report>): void {
    this.#runner = runner
  }

  async open(spec: SessionSpec): Promise<TreeRun> {
    return this.#withLog(spec.root, async (log) => {
      if ((await log.load(spec.id)) === undefined) log.add({ t: 'open', spec: withoutFallback(spec) })
      await this.#trees.get(log)?.opened(spec.id)
      return new TreeRun(log, spec, this)
    })
  }

  read(id: string): Promise<StoredSession | undefined> {
    return this.#untilAnswered(() => this.#readOnce(id))
  }

  async #readOnce(id: string): Promise<StoredSession | undefined> {
    for (const { log } of this.#held.values()) if (log.has(id)) return log.stored(id)
    const rested = await this.#rested.read(id)
    if (rested !== undefined) return rested
    const found = await this.#find(id)
    return found && readStored(found.root, id, this.#read, this.blobs, found.head)
  }

  async charged(root: string): Promise<readonly string[]> {
    const { charged } = await this.#untilAnswered(() => this.#indexOf(root))
    const here = [...this.#held.values()].flatMap(({ log }) =>
      [...log.loaded()].flatMap(([id, { spec }]) =>
        spec.parent === undefined && spec.limits.charged?.root === root ? [id] : [],
      ),
    )
    return [...new Set([...charged, ...here])].toSorted()
  }

  /** Finds the archive of a session that rests. */
  async #find(id: string): Promise<{ root: string; head: ArchiveHead } | undefined> {
    const seen = this.#seen.rootOf(id)
    const own = seen === undefined ? await this.#headOf(id) : undefined
    if (own !== undefined) return { root: id, head: own }
    const root = seen ?? (await this.#indexOf(id)).root ?? (await this.#directory.rootOf(id))
    const head = root === undefined ? undefined : await this.#headOf(root)
    return head && root !== undefined ? { root, head } : undefined
  }

  async #headOf(root: string): Promise<ArchiveHead | undefined> {
    const { head } = await readHead(root, this.#read)
    this.#seen.note(root, head)
    return head
  }

  /** Records an answer to a question of a tree that no order runs. Returns the answer that applies. */
  async answer(session: string, name: string, answer: Answer): Promise<Answer | undefined> {
    const stored = await this.read(session)
    const root = stored?.spec.root ?? session
    return this.#withLog(root, async (log) => {
      await recordAnswer(log, { kind: 'answer', session, name, answer })
      await log.safe()
      return answerIn(log.session(session).entries, name)
    })
  }

  // For runs of sessions.

  /** A running child is not started again: a second call gets the same report. */
  spawn(spec: SessionSpec): Promise<Report> {
    let report = this.#children.get(spec.id)
    if (report === undefined) {
      report = this.#runner(spec).finally(() => this.#children.delete(spec.id))
      this.#children.set(spec.id, report)
    }
    return report
  }

  entered(log: TreeLog, session: string, isOpen: boolean): void {
    this.lent.entered(log, session, isOpen)
  }

  /** Earlier processes of the invocation may still act until they notice the loss, unless they are known to have ended. */
  alone(log: TreeLog): Promise<EarlierLives> {
    let alone = this.#alone.get(log)
    if (alone === undefined) {
      const { clock } = this.#options
      alone = endOfEarlierLives({ lives: log.lives, self: this.#self, clock, fresh: this.limits.fresh })
      this.#alone.set(log, alone)
    }
    return alone
  }

  // For invocations.

  async invoke(ctx: ObjectContext, order: Packed<TreeOrder>): Promise<void> {
    // Nothing binds a new invocation to this worker.
    const isNew = (ctx as unknown as internal.ContextInternal).isProcessing()
    if (this.isClosed || (this.isDraining && isNew))
      throw new this.sdk.RetryableError('this worker accepts no trees', { retryAfter: 50 })
    const arrival = this.arrive(ctx.key.slice(this.scope.length))
    // Without a connection, an attempt may never return.
    onAbort(ctx.request().attemptCompletedSignal, () => arrival.left(false))
    try {
      await invokeTree(ctx, order, this, arrival.lost)
      arrival.left(true)
    } finally {
      arrival.left(false)
    }
  }

  /** The server begins an attempt to run the tree here. */
  arrive(root: string): Arrival {
    return this.#arrivals.arrive(root)
  }

  live(attempt: TreeAttempt): void {
    // The engine was closed while the attempt read its state.
    if (this.isClosed) {
      attempt.log.die()
      return
    }
    void this.#live(attempt).catch((error: unknown) => {
      if (!attempt.log.isDead) this.report(`cannot run ${attempt.log.root}: ${String(error)}`)
      attempt.log.die()
    })
  }

  flushed({ log, archive }: TreeAttempt, items: readonly LogItem[]): void {
    this.#options.project?.(log.root, items)
    if (log.bytes + archive.bytes > this.limits.rollOver) this.#trees.get(log)?.moveOn()
  }

  over(attempt: TreeAttempt, isClosed: boolean): void {
    const { log } = attempt
    const { root } = log
    if (this.#held.get(root) === attempt) {
      this.#held.delete(root)
      this.liveEvents.forget(root)
      this.#options.onTree?.(root, false)
    }
    if (isClosed && log.isLive) this.#rested.add(attempt)
    if (isClosed) this.lent.closed(root)
    this.#trees.delete(log)
  }

  roots(): readonly string[] {
    return [...this.#held.keys()]
  }

  logOf(root: string): TreeLog | undefined {
    return this.#held.get(root)?.log
  }

  /** Moves all trees to other workers. Resolves when no invocation needs this worker, as far as it can tell. */
  async drain(): Promise<void> {
    this.isDraining = true
    for (const tree of this.#trees.values()) tree.moveOn()
    while (!this.#arrivals.areOver || this.#held.size > 0) await pause(10)
    if (await Promise.race([this.settled(), pause(settleLimit, true, { ref: false })]))
      this.report('The Restate server has not confirmed that other workers can continue the last sessions.')
  }

  /** Resolves when other processes can read everything that has rested here. */
  settled(): Promise<void> {
    return this.#rested.settled()
  }

  /** The trees that have rested here and are still in memory. */
  rested(): readonly string[] {
    return this.#rested.roots()
  }

  /** Gives everything up, like the end of the process. */
  close(): void {
    this.isClosed = true
    this.#ended.abort(new CadreError('owned', 'this worker has stopped.'))
    for (const { log } of [...this.#held.values()]) log.die()
  }

  async #live(attempt: TreeAttempt): Promise<void> {
    const { log } = attempt
    const { root } = log
    await this.#unwound(root, log)
    // A later attempt may have arrived meanwhile.
    if (log.isDead) return
    log.add({ t: 'life', owner: this.#self, format: 2 })
    // The wait begins now, not when the first call is in doubt.
    void this.alone(log)
    this.#rested.delete(root)
    this.#held.set(root, attempt)
    this.liveEvents.begin(root)
    onAbort(log.lost, () => {
      if (this.#held.get(root) === attempt) this.over(attempt, false)
    })
    this.#options.onTree?.(root, true)
    if (attempt.order[0]?.kind === 'lend') return this.lent.arrived(attempt)
    if (this.orders === undefined) throw new Error('unreachable: this engine only lends logs')
    const tree = new OrderedTree(attempt, {
      ...this.orders,
      engine: this,
      alone: () => this.alone(log),
      blobs: this.blobs,
      report: this.report,
    })
    this.#trees.set(log, tree)
    this.#options.onLife?.(createTreeLife(log))
    const running = tree.run().finally(() => {
      if (this.#unwinding.get(root) === running) this.#unwinding.delete(root)
    })
    this.#unwinding.set(root, running)
    if (this.isDraining) tree.moveOn()
    await running
  }

  /** Resolves when an earlier life of the tree has stopped, or when the log is dead. */
  async #unwound(root: string, log: TreeLog): Promise<void> {
    // How it stops does not matter.
    const earlier = this.#unwinding.get(root)?.catch(() => {})
    if (earlier === undefined) return
    const stopWaiting = this.#options.clock.after(unwindLimit, () => {
      this.report(
        `${root} cannot continue here, because its last run on this worker has not stopped. If this repeats, restart the worker.`,
      )
      log.die()
    })
    await Promise.race([earlier, new Promise<void>((resolve) => onAbort(log.lost, resolve))])
    stopWaiting()
  }

  /** A lent log stays open during the work. */
  async #withLog<T>(root: string, work: (log: TreeLog) => Promise<T>): Promise<T> {
    const held = this.#held.get(root)
    const isHeld = held?.log.isClosed === false
    // A life that was lost may still try to open a child, and a closed engine must not request trees.
    if (!isHeld && (this.orders !== undefined || this.isClosed))
      throw new CadreError('owned', `another process has taken over ${root}.`)
    const { log } = isHeld ? held : await this.lent.borrow(root)
    return this.lent.use(log, () => work(log))
  }

  /** Repeats work that fails because the server does not answer, as long as this worker runs. */
  #untilAnswered<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now()
    return retryUntil(
      async () => {
        const result = await work()
        this.#isFailureReported = false
        return result
      },
      this.#ended.signal,
      (error) => {
        if (this.#isFailureReported || performance.now() - began < reportAfter) return
        this.#isFailureReported = true
        this.report(`${messageOf(error)} Trying again…`)
      },
    )
  }

  readonly #read: ReadKeys = async (root, keys) =>
    (await this.#ingress.call(this.names.trees, this.scope + root, 'read', keys)) as (string | null)[]

  async #indexOf(id: string): Promise<IndexEntry> {
    return (await this.#ingress.call(this.names.index, this.scope + id, 'get')) as IndexEntry
  }
}

/** Why the default model is used is not stored. */
function withoutFallback({ insteadOf: _, ...spec }: SessionSpec): SessionSpec {
  return spec
}
