/**
 * Owns the messages that reach a tree while it runs. Used by the invocation of the tree.
 *
 * 1. One wait is open at a time. When messages arrive, the log announces the next wait.
 * 2. A message stays unheard until it has taken effect. Messages that are unheard when the tree rests return to its mailbox, and then wake
 *    it.
 * 3. A cancel takes effect when its session and all sessions below it have ended. Until then, it applies to every one of them that is
 *    opened, before it runs, in this life and in later ones.
 * 4. A cancel takes back unheard messages that were sent before it and would continue one of its sessions. Later ones remain.
 * 5. A session to which a message gives something to do is noted until it is opened. If it can continue when the tree rests, an order of
 *    its own continues it (`toContinue`): nothing else wakes it.
 */
import { foldEntries, messageOf, type Orchestrator } from '@cadre/core'
import type { Blobs } from '../blobs.ts'
import { type Packed, unpack } from '../log/packed.ts'
import { retryUntil } from '../log/retry-until.ts'
import type { TreeLog } from '../log/tree-log.ts'
import type { TreeMessage, TreeOrder } from '../tree-order.ts'
import { recordAnswer } from './carry-out-order.ts'
import { type Cancel, cancelIn, takenBack, wakesEnded, wokenBy } from './order-targets.ts'
import { recordEdit } from './record-edit.ts'

export interface TreeMessagesOptions {
  readonly log: TreeLog
  readonly blobs: Blobs
  readonly orchestrator: Orchestrator
  readonly report: (message: string) => void
}

export class TreeMessages {
  readonly #options: TreeMessagesOptions
  readonly #hearing = new Map<number, Promise<void>>()
  /** Cancels that have not taken effect, by their number. */
  readonly #cancels = new Map<number, Cancel>()
  /** Sessions that may have something to do because of a message, in this life or in an earlier one. */
  readonly #woken = new Set<string>()
  /** The order that the invocation carries out has opened a session. */
  #hasBegun = false

  constructor(options: TreeMessagesOptions) {
    this.#options = options
  }

  /** Waits for messages, and takes care of those that have arrived. Resolves when their cancels are known. */
  async begin(): Promise<void> {
    const { log } = this.#options
    if (log.listening === 0) log.add({ t: 'listen', n: log.arrived + 1 })
    for (const packed of log.heardBefore.values()) {
      const order = await this.#read(packed)
      await this.#know(order)
      this.#note(order)
    }
    for (const [n, packed] of [...log.unheard]) {
      const cancel = cancelIn(await this.#read(packed))
      if (cancel !== undefined) this.#cancels.set(n, cancel)
    }
    if (!log.isDead) this.attend()
  }

  attend(): void {
    const { log } = this.#options
    if (log.isDead || log.isClosed) return
    if (log.listening > 0 && log.listening <= log.arrived) log.add({ t: 'listen', n: log.arrived + 1 })
    for (const [n, order] of log.unheard) {
      if (!this.#hearing.has(n)) this.#hearing.set(n, this.#deliver(n, order))
    }
  }

  /** A session was opened, and none of it runs yet. */
  async opened(session: string): Promise<void> {
    const isFirst = !this.#hasBegun
    this.#hasBegun = true
    this.#woken.delete(session)
    if (this.#cancels.size === 0) return
    const { log, orchestrator } = this.#options
    for (const cancel of this.#cancels.values())
      if (await log.isWithin(session, cancel.session)) orchestrator.cancel(session, { stays: true })
    if (isFirst) await this.#settleCancels()
  }

  /** Resolves when every message that has arrived has taken effect or has to be delivered again. */
  async settled(): Promise<void> {
    await Promise.all(this.#hearing.values())
    await this.#settleCancels()
  }

  /** The sessions that have something to do, although the tree is about to rest. */
  toContinue(): readonly string[] {
    const { log } = this.#options
    return [...this.#woken].filter(
      (id) => log.isLoaded(id) && foldEntries(log.session(id).entries, id).ended === undefined,
    )
  }

  #read(packed: Packed<TreeOrder>): Promise<TreeOrder> {
    const { log, blobs } = this.#options
    return retryUntil(() => unpack(packed, blobs), log.lost)
  }

  async #deliver(n: number, packed: Packed<TreeOrder>): Promise<void> {
    const { log, report } = this.#options
    try {
      const order = await this.#read(packed)
      await this.#know(order)
      // A cancel may have taken it back in the meantime.
      if (!log.unheard.has(n)) return
      if (!(await this.#take(n, order))) return
      this.#heard(n)
      this.#note(order)
    } catch (error) {
      if (log.isDead || log.isClosed) return
      report(`a message to ${log.root} was rejected: ${messageOf(error)}`)
      this.#heard(n)
    }
  }

  #heard(n: number): void {
    const { log } = this.#options
    if (log.unheard.has(n) && !log.isDead && !log.isClosed) log.add({ t: 'heard', n })
  }

  /** Returns whether the order has taken effect. */
  async #take(n: number, order: TreeOrder): Promise<boolean> {
    if (order.kind === 'message') return this.#hear(n, order.message)
    // A person's resume applies to the tree when it rests, for example because it is being cancelled.
    return order.kind !== 'resume' || order.options === undefined
  }

  /** Loads the session that an order may wake, because `toContinue` cannot wait for it. */
  async #know(order: TreeOrder): Promise<void> {
    const session = wokenBy(order)
    if (session !== undefined) await this.#options.log.load(session)
  }

  /** An order has taken effect. */
  #note(order: TreeOrder): void {
    const session = wokenBy(order)
    if (session !== undefined && (wakesEnded(order) || this.#options.log.isOpen(session)))
      this.#woken.add(session)
  }

  async #cancel(n: number, cancel: Cancel): Promise<void> {
    const { log, orchestrator } = this.#options
    const { session } = cancel
    this.#cancels.set(n, cancel)
    const isStopped = orchestrator.cancel(session, { stays: true })
    const unheard = await Promise.all(
      [...log.unheard].map(async ([number, packed]) => ({ n: number, order: await this.#read(packed) })),
    )
    for (const back of await takenBack(unheard, log)) this.#heard(back)
    // Sessions below one that has ended may be running, because a message woke them.
    if (!isStopped)
      for (const id of log.ids())
        if (log.isOpen(id) && (await log.isWithin(id, session))) orchestrator.cancel(id, { stays: true })
    if (this.#hasBegun) await this.#settleCancels()
  }

  /** A cancel is done once its sessions have ended. */
  async #settleCancels(): Promise<void> {
    for (const [n, { session }] of [...this.#cancels]) {
      if (await this.#isOpen(session)) continue
      this.#cancels.delete(n)
      this.#heard(n)
    }
  }

  /** Whether the session or one below it has not ended. */
  async #isOpen(session: string): Promise<boolean> {
    const { log } = this.#options
    for (const id of log.ids()) if (log.isOpen(id) && (await log.isWithin(id, session))) return true
    return false
  }

  /** Returns whether the message has taken effect. */
  async #hear(n: number, message: TreeMessage): Promise<boolean> {
    const { log, orchestrator } = this.#options
    switch (message.kind) {
      case 'answer':
        await recordAnswer(log, message)
        return true
      case 'tell':
        return orchestrator.tell(message.session, message.work)
      case 'cancel':
        await this.#cancel(n, message)
        return false
      case 'interrupt':
        orchestrator.interrupt(message.session)
        return true
      case 'resume':
        return true
      case 'edit':
        await recordEdit(log, message)
        return true
      case 'archive':
        log.add({ t: 'archive' })
        return true
    }
  }
}
