/**
 * Owns the record of a tree while one process runs it: what earlier lives recorded, and what this one adds. Runs of sessions add to it; the
 * invocation takes batches from it and acknowledges them. It does not know Restate.
 *
 * 1. One batch is in flight at a time. Everything that is added in the meantime becomes the next batch.
 * 2. `safe` resolves when the server has everything that was added before.
 * 3. A process may have been suspended between sending a batch and reading its acknowledgement, while the server gave the tree to another
 *    one. An acknowledgement that takes longer than `fresh` is confirmed by another batch before `safe` resolves.
 * 4. A log that is behind accepts everything, but steps wait for the server: otherwise a session whose calls need no acknowledgement could
 *    record faster than the server writes, without limit, and the journal would be rolled over too late.
 * 5. Once the log is dead, nothing is added, and everyone who waits is rejected: another life continues from what is safe.
 */
import {
  CadreError,
  type Clock,
  type Draft,
  type Entry,
  type ReportStatus,
  type SessionSpec,
  type SessionStatus,
  type StoredSession,
} from '@cadre/core'
import type { ProcessIdentity } from '@cadre/disk'
import type { Blobs } from '../blobs.ts'
import type { BoxedOrder, TreeOrder } from '../tree-order.ts'
import type { Archive } from './archive.ts'
import { type Batch, createBatch, itemsOf } from './batch.ts'
import type { LogItem } from './log-item.ts'
import { type Packed, pack } from './packed.ts'
import { type PackedItem, type PackOptions, packItem, type WrittenItem } from './packed-item.ts'
import { maxReads, type ReadKeys, readParts } from './read-archive.ts'
import { retryUntil } from './retry-until.ts'

export interface TreeLogOptions {
  readonly root: string
  readonly archive: Archive
  readonly clock: Clock
  readonly blobs: Blobs
  readonly read: ReadKeys
  readonly fresh: number
  /** Texts with more characters become blobs. */
  readonly blobLimit: number
  /** Called when everything that earlier lives recorded has been read: the tree can run. */
  readonly goLive: () => void
  /** Receives what is safe, in order. */
  readonly flushed?: (items: readonly LogItem[]) => void
}

export interface LoadedSession {
  spec: SessionSpec
  status: SessionStatus
  outcome: ReportStatus | null
  entries: Entry[]
  /** What a person has changed since the session last asked. */
  change: string | undefined
}

interface ReadyItem extends WrittenItem {
  readonly item?: LogItem
}

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  at: number
}

/** Characters that the server may be behind. */
const behindLimit = 4 << 20

export class TreeLog {
  readonly root: string
  readonly clock: Clock
  /** The processes that ran the tree earlier in this invocation. */
  readonly lives: ProcessIdentity[] = []
  /** Messages that have not taken effect, by their number. */
  readonly unheard = new Map<number, Packed<TreeOrder>>()
  readonly heard = new Set<number>()
  /** Messages that have taken effect in an earlier life of this invocation, by their number. */
  readonly heardBefore = new Map<number, Packed<TreeOrder>>()
  /** The number of the last message that is awaited, and of the last one that has arrived. */
  listening = 0
  arrived = 0
  /** Why the tree makes no progress, if people see a notice about it. */
  notice: string | null = null
  isClosed = false
  isLive = false
  /** Something has been recorded since the archive was last written. */
  isUnarchived = false
  /** The size of the journal in bytes. */
  bytes = 0
  /** How many acknowledgements had to be confirmed. */
  confirmed = 0
  readonly #options: TreeLogOptions
  readonly #life = new AbortController()
  readonly lost: AbortSignal = this.#life.signal
  readonly #sessions = new Map<string, LoadedSession>()
  readonly #loading = new Map<string, Promise<LoadedSession | undefined>>()
  #pending: LogItem[] = []
  /** Packed items that are to be written. The last one of each item has the item. */
  readonly #ready: ReadyItem[] = []
  #inFlight: readonly ReadyItem[] | undefined
  #sentAt = { wall: 0, steady: 0 }
  #take: (() => void) | undefined
  #waiters: Waiter[] = []
  #added = 0
  #safe = 0
  /** Characters of entries that the server does not have yet. */
  #unwritten = 0

  readonly #packing: PackOptions

  constructor(options: TreeLogOptions) {
    this.root = options.root
    this.clock = options.clock
    this.#options = options
    const { blobs, blobLimit: limit } = options
    this.#packing = {
      limit,
      store: (value) => retryUntil(() => pack(value, limit, blobs), this.lost),
      spec: (id) => this.#sessions.get(id)?.spec,
    }
  }

  get isDead(): boolean {
    return this.lost.aborted
  }

  /** The server has not written much of what was recorded. */
  get isBehind(): boolean {
    return this.#unwritten > behindLimit
  }

  /** The sessions that are loaded. */
  loaded(): IterableIterator<[string, LoadedSession]> {
    return this.#sessions.entries()
  }

  isLoaded(id: string): boolean {
    return this.#sessions.has(id)
  }

  has(id: string): boolean {
    return this.#sessions.has(id) || this.#options.archive.parts(id) !== undefined
  }

  /** The ids of all sessions of the tree. */
  ids(): readonly string[] {
    return [...new Set([...this.#options.archive.ids(), ...this.#sessions.keys()])]
  }

  /** Whether the session has not ended. */
  isOpen(id: string): boolean {
    const { status } = this.#sessions.get(id) ?? this.#options.archive.parts(id) ?? {}
    return status === 'active' || status === 'sleeping'
  }

  /** Whether the session is `above`, or a session below it. */
  async isWithin(id: string, above: string): Promise<boolean> {
    if (above === this.root) return true
    for (let next: string | undefined = id; next !== undefined; ) {
      if (next === above) return true
      next = (await this.load(next))?.spec.parent?.session
    }
    return false
  }

  /** A message has arrived, in this life or in an earlier one. */
  arrive({ n, order }: BoxedOrder): void {
    this.arrived = n
    // The next invocation would begin with the same mailbox, so moving there because of it would not help.
    if (this.listening > 0) this.bytes += JSON.stringify(order).length
    if (!this.heard.has(n)) this.unheard.set(n, order)
  }

  /** Reads a session from the archive, unless it is loaded. */
  async load(id: string): Promise<LoadedSession | undefined> {
    const known = this.#sessions.get(id)
    if (known !== undefined) return known
    let loading = this.#loading.get(id)
    if (loading === undefined) {
      loading = this.#read(id).finally(() => this.#loading.delete(id))
      this.#loading.set(id, loading)
    }
    return loading
  }

  session(id: string): LoadedSession {
    const session = this.#sessions.get(id)
    if (session === undefined) throw new Error(`unreachable: session ${id} is not loaded`)
    return session
  }

  async stored(id: string): Promise<StoredSession | undefined> {
    const session = await this.load(id)
    if (session === undefined) return undefined
    const { spec, status, outcome, entries } = session
    const updated = entries.at(-1)?.timestamp ?? spec.created
    return { spec, status, outcome: outcome ?? undefined, updated, entries: [...entries] }
  }

  record(id: string, drafts: readonly Draft[]): readonly Entry[] {
    const timestamp = new Date(this.clock.now()).toISOString()
    let seq = this.session(id).entries.at(-1)?.seq ?? 0
    const entries = drafts.map((draft) => ({ ...draft, seq: ++seq, timestamp }) as Entry)
    this.add({ t: 'add', id, entries })
    return entries
  }

  add(item: LogItem): void {
    this.requireLife()
    if (this.isClosed) throw new Error(`unreachable: the log of ${this.root} is closed`)
    this.#apply(item)
    if (changesRecord(item)) this.isUnarchived = true
    else if (item.t === 'archive') this.isUnarchived = false
    this.#pending.push(item)
    this.#added += 1
    this.#unwritten += lengthOf(item)
    this.#take?.()
  }

  safe(): Promise<void> {
    if (this.isDead) return Promise.reject(this.#lossError())
    if (this.#safe >= this.#added) return Promise.resolve()
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject, at: this.#added }))
  }

  requireLife(): void {
    if (this.isDead) throw this.#lossError()
  }

  /** Ends this life. Called when the server has ended the attempt, or when this process gives the tree up. */
  die(): void {
    if (this.isDead) return
    this.#life.abort(this.#lossError())
    for (const { reject } of this.#waiters.splice(0)) reject(this.#lossError())
  }

  /** Returns the next batch when there is one. The first call makes the log live: everything before it was replayed. */
  async take(): Promise<Batch> {
    if (!this.isLive) {
      this.isLive = true
      this.#options.goLive()
    }
    await this.#somethingAdded()
    const items = this.#pending.splice(0)
    const packed = items.map((item) => packItem(item, this.#packing))
    const isStored = packed.some((parts) => parts instanceof Promise)
    const written = isStored ? await Promise.all(packed) : (packed as (readonly WrittenItem[])[])
    for (const [index, parts] of written.entries())
      for (const part of parts)
        this.#ready.push(part === parts.at(-1) ? { ...part, item: items[index] as LogItem } : part)
    const batch = createBatch(this.#ready)
    this.#inFlight = this.#ready.splice(0, batch.count)
    this.#sentAt = { wall: Date.now(), steady: performance.now() }
    return batch
  }

  /** A batch was acknowledged, or read from the journal. Returns its items. */
  keep(batch: Pick<Batch, 'bytes'>): readonly PackedItem[] {
    this.bytes += batch.bytes.length
    const sent = this.#inFlight
    if (sent === undefined) {
      const items = itemsOf(batch)
      for (const item of items) this.#replay(item)
      return items
    }
    this.#inFlight = undefined
    const items = sent.flatMap(({ item }) => item ?? [])
    this.#safe += items.length
    for (const item of items) this.#unwritten -= lengthOf(item)
    this.#options.flushed?.(items)
    if (this.#waiters.length > 0 && this.#age() > this.#options.fresh && !this.isClosed && !this.isDead) {
      this.confirmed += 1
      this.add({ t: 'alive' })
      for (const waiter of this.#waiters) if (waiter.at <= this.#safe) waiter.at = this.#added
    }
    const ready = this.#waiters.filter(({ at }) => at <= this.#safe)
    this.#waiters = this.#waiters.filter(({ at }) => at > this.#safe)
    for (const { resolve } of ready) resolve()
    return sent.map(({ packed }) => packed)
  }

  /** The wall clock continues while the machine sleeps, and the steady one is never set back. */
  #age(): number {
    return Math.max(Date.now() - this.#sentAt.wall, performance.now() - this.#sentAt.steady)
  }

  async #somethingAdded(): Promise<void> {
    if (this.#pending.length === 0 && this.#ready.length === 0) {
      await new Promise<void>((resolve) => {
        this.#take = resolve
      })
      this.#take = undefined
    }
    // Everything that is recorded in the same turn goes together.
    await new Promise((resolve) => setImmediate(resolve))
  }

  async #read(id: string): Promise<LoadedSession | undefined> {
    const { archive, read, blobs, root } = this.#options
    let stored: StoredSession | undefined
    for (let tries = 0; stored === undefined; tries++) {
      const parts = archive.parts(id)
      if (parts === undefined) return undefined
      if (tries === maxReads)
        throw new CadreError(
          'corrupt',
          `the archive of ${root} at the Restate server has no record of ${id}.`,
        )
      stored = await retryUntil(() => readParts(root, id, parts, read, blobs, archive.written), this.lost)
    }
    const { spec, status, outcome = null, entries } = stored
    const session = { spec, status, outcome, entries: [...entries], change: undefined }
    this.#sessions.set(id, session)
    return session
  }

  #replay(item: PackedItem): void {
    if (item.t === 'life') this.lives.push(item.owner)
    else if (item.t === 'listen') this.listening = item.n
    else if (item.t === 'heard') {
      const order = this.unheard.get(item.n)
      if (order !== undefined) this.heardBefore.set(item.n, order)
      this.#hear(item.n)
    } else if (item.t === 'notice') this.notice = item.message
    else if (item.t === 'close') this.isClosed = true
  }

  #apply(item: LogItem): void {
    switch (item.t) {
      case 'open': {
        const known = this.#sessions.get(item.spec.id)
        if (known !== undefined) Object.assign(known, { spec: item.spec, status: 'active', outcome: null })
        else {
          const session = { spec: item.spec, status: 'active', outcome: null, entries: [] } as const
          this.#sessions.set(item.spec.id, { ...session, entries: [], change: undefined })
        }
        return
      }
      case 'add':
        this.session(item.id).entries.push(...item.entries)
        return
      case 'end':
        Object.assign(this.session(item.id), { status: item.status, outcome: item.outcome })
        return
      case 'edit': {
        const session = this.session(item.id)
        session.entries = [...item.entries]
        session.change = item.summary
        if (item.systemPrompt !== undefined)
          session.spec = { ...session.spec, systemPrompt: item.systemPrompt }
        return
      }
      case 'listen':
        this.listening = item.n
        return
      case 'heard':
        this.#hear(item.n)
        return
      case 'notice':
        this.notice = item.message
        return
      case 'close':
        this.isClosed = true
    }
  }

  #hear(n: number): void {
    this.heard.add(n)
    this.unheard.delete(n)
  }

  #lossError(): CadreError {
    return new CadreError('owned', `another process has taken over ${this.root}.`)
  }
}

function changesRecord({ t }: LogItem): boolean {
  return t === 'open' || t === 'add' || t === 'end' || t === 'edit'
}

/** Roughly: only texts are large. */
function lengthOf(item: LogItem): number {
  if (item.t !== 'add') return 0
  return item.entries.reduce(
    (sum, { content }) => sum + (typeof content === 'string' ? content.length : 0),
    0,
  )
}
