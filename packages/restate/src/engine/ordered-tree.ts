import { CadreError, type Engine, messageOf } from '@cadre/core'
import type { Blobs } from '../blobs.ts'
import { type Packed, unpack } from '../log/packed.ts'
import { retryUntil } from '../log/retry-until.ts'
import { onAbort } from '../on-abort.ts'
import type { TreeOrder, TreeResult } from '../tree-order.ts'
import { carryOutOrder, sessionOf } from './carry-out-order.ts'
import type { TreeAttempt } from './invoke-tree.ts'
import type { OrderRunner } from './order-runner.ts'
import { firstOf, takenBack } from './order-targets.ts'
import { TreeMessages } from './tree-messages.ts'

export interface OrderedTreeHost extends OrderRunner {
  readonly engine: Engine
  /** Resolves when no earlier life of the tree can still act. */
  readonly alone: () => Promise<unknown>
  readonly blobs: Blobs
  readonly report: (message: string) => void
}

/** Seconds. */
const maxArchivePause = 10

/** One life of a tree that an order runs: from the end of the replay to the last item of the log. */
export class OrderedTree {
  readonly #attempt: TreeAttempt
  readonly #host: OrderedTreeHost
  #isMoving = false
  #messages: TreeMessages | undefined
  #stopArchiving: () => void = () => {}

  constructor(attempt: TreeAttempt, host: OrderedTreeHost) {
    this.#attempt = attempt
    this.#host = host
  }

  /** Pauses the tree, so that it continues in another invocation. Running calls are settled first. */
  moveOn(): void {
    this.#isMoving = true
    this.#pause()
  }

  /** A session was opened, and none of it runs yet. Now it can be paused, and cancelled. */
  async opened(session: string): Promise<void> {
    if (this.#isMoving) this.#pause()
    await this.#messages?.opened(session)
  }

  async run(): Promise<void> {
    const { log } = this.#attempt
    const { orchestrator, blobs, report } = this.#host
    const order = await this.#firstOrder()
    const messages = new TreeMessages({ log, blobs, orchestrator, report })
    this.#attempt.onMessage = () => messages.attend()
    await messages.begin()
    this.#messages = messages
    this.#archiveAfter(1)
    const result = await this.#carryOut(order)
    // The next invocation does not know the lives of this one, so it would not wait before it asks about a call that one of them runs.
    await Promise.race([this.#host.alone(), new Promise<void>((resolve) => onAbort(log.lost, resolve))])
    await messages.settled()
    this.#stopArchiving()
    if (log.isDead) return
    const isContinued = result.kind === 'waiting' && (this.#isMoving || messages.mayContinue)
    // What continues the tree is older than the messages, so that a cancel among them applies to it.
    const next: TreeOrder[] = isContinued ? [this.#next(order)] : []
    log.add({
      t: 'close',
      result: isContinued ? { kind: 'continued' } : result,
      isListening: log.listening > log.arrived,
      orders: [...next.map((one): Packed<TreeOrder> => [one]), ...log.unheard.values()],
      taken: this.#attempt.box === undefined ? 0 : log.arrived,
    })
  }

  /** Returns the order to carry out. A later life chooses the same one. The other orders are messages. */
  async #firstOrder(): Promise<TreeOrder> {
    const { log, box } = this.#attempt
    const { blobs } = this.#host
    const read = (packed: Packed<TreeOrder>) => retryUntil(() => unpack(packed, blobs), log.lost)
    if (box === undefined) return read(this.#attempt.order)
    const orders = await Promise.all(box.map(async ({ n, order }) => ({ n, order: await read(order) })))
    const ignored = await takenBack(orders, log)
    const first = firstOf(orders, ignored)
    if (first === undefined) throw new Error('unreachable: the mailbox has no order that wakes a tree')
    for (const n of [first.n, ...ignored]) log.unheard.delete(n)
    return first.order
  }

  async #carryOut(order: TreeOrder): Promise<TreeResult> {
    const { log, cancelled } = this.#attempt
    if (order.kind === 'lend' || order.kind === 'wake') throw new Error('unreachable: not an order to run')
    const previous = this.#attempt.previous && (await unpack(this.#attempt.previous, this.#host.blobs))
    try {
      return await carryOutOrder(order, { ...this.#host, log, previous }, cancelled)
    } catch (error) {
      if (order.kind === 'message' && previous !== undefined) {
        // A message that the tree rejects does not change its result.
        if (!log.isDead) this.#host.report(`a message to ${log.root} was rejected: ${messageOf(error)}`)
        return previous
      }
      return {
        kind: 'failed',
        code: error instanceof CadreError ? error.code : 'agent_execution',
        message: messageOf(error),
      }
    }
  }

  /** The order that continues the tree. */
  #next(order: TreeOrder): TreeOrder {
    const session = sessionOf(order, this.#attempt.log.root)
    const options = order.kind === 'resume' && order.options ? { options: order.options } : {}
    return { kind: 'resume', session, ...options }
  }

  /** Others can read only what is archived. Trees that run for long are archived less often. */
  #archiveAfter(seconds: number): void {
    const { log } = this.#attempt
    this.#stopArchiving = log.clock.after(seconds * 1000, () => {
      if (log.isDead || log.isClosed) return
      const { isUnarchived } = log
      if (isUnarchived) log.add({ t: 'archive' })
      this.#archiveAfter(isUnarchived ? Math.min(maxArchivePause, seconds + 1) : seconds)
    })
  }

  #pause(): void {
    this.#host.orchestrator.pause({ root: this.#attempt.log.root })
  }
}
