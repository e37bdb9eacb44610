/**
 * Owns the messages that reach a tree while it runs. Used by the invocation of the tree.
 *
 * 1. One message is awaited at a time. When it arrives, the log announces the next wait.
 * 2. A message stays unheard until it has taken effect. Messages that are unheard when the tree rests are delivered again, and then wake it.
 */
import { messageOf, type Orchestrator } from '@cadre/core'
import type { Blobs } from '../blobs.ts'
import { type Packed, unpack } from '../log/packed.ts'
import { retryUntil } from '../log/retry-until.ts'
import type { TreeLog } from '../log/tree-log.ts'
import type { TreeMessage, TreeOrder } from '../tree-order.ts'
import { recordAnswer } from './carry-out-order.ts'
import { recordEdit } from './record-edit.ts'

export interface TreeMessagesOptions {
  readonly log: TreeLog
  readonly blobs: Blobs
  readonly orchestrator: Orchestrator
  readonly report: (message: string) => void
}

export class TreeMessages {
  /** A message has arrived that may let a waiting tree continue. */
  mayContinue = false
  readonly #options: TreeMessagesOptions
  readonly #hearing = new Map<number, Promise<void>>()

  constructor(options: TreeMessagesOptions) {
    this.#options = options
  }

  /** Waits for messages, and takes care of those that arrived in an earlier life. */
  begin(): void {
    const { log } = this.#options
    if (log.listening === 0) log.add({ t: 'listen', n: 1 })
    this.attend()
  }

  attend(): void {
    const { log } = this.#options
    if (log.isDead || log.isClosed) return
    if (log.listening > 0 && log.listening === log.arrived) log.add({ t: 'listen', n: log.arrived + 1 })
    for (const [n, order] of log.unheard) {
      if (!this.#hearing.has(n)) this.#hearing.set(n, this.#deliver(n, order))
    }
  }

  /** Resolves when every message that has arrived has taken effect or has to be delivered again. */
  async settled(): Promise<void> {
    await Promise.all(this.#hearing.values())
  }

  async #deliver(n: number, packed: Packed<TreeOrder>): Promise<void> {
    const { log, blobs, report } = this.#options
    try {
      const order = await retryUntil(() => unpack(packed, blobs), log.lost)
      const isHeard = order.kind !== 'message' || (await this.#hear(order.message))
      if (isHeard && !log.isDead && !log.isClosed) log.add({ t: 'heard', n })
    } catch (error) {
      if (log.isDead || log.isClosed) return
      report(`a message to ${log.root} was rejected: ${messageOf(error)}`)
      log.add({ t: 'heard', n })
    }
  }

  /** Returns whether the message has taken effect. */
  async #hear(message: TreeMessage): Promise<boolean> {
    const { log, orchestrator } = this.#options
    switch (message.kind) {
      case 'answer':
        await recordAnswer(log, message)
        this.mayContinue = true
        return true
      case 'tell':
        return orchestrator.tell(message.session, message.work)
      case 'cancel':
        return orchestrator.cancel(message.session, { stays: true })
      case 'interrupt':
        orchestrator.interrupt(message.session)
        return true
      case 'resume':
        this.mayContinue = true
        return true
      case 'edit':
        await recordEdit(log, message)
        this.mayContinue = true
        return true
      case 'archive':
        log.add({ t: 'archive' })
        return true
    }
  }
}
