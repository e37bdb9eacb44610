import { CadreError, type Engine, messageOf } from '@cadre/core'
import type { Blobs } from '../blobs.ts'
import { type Packed, unpack } from '../log/packed.ts'
import { retryUntil } from '../log/retry-until.ts'
import { onAbort } from '../on-abort.ts'
import type { BoxedOrder, RestResult, TreeOrder } from '../tree-order.ts'
import { carryOutOrder } from './carry-out-order.ts'
import type { TreeAttempt } from './invoke-tree.ts'
import type { OrderRunner } from './order-runner.ts'
import { firstOf, isTakenBack, type NumberedOrder, takenBack } from './order-targets.ts'
import { type RestingTree, restAsIs } from './rest-as-is.ts'
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
    const next = this.#next(order, result, messages.toContinue())
    const isContinued = result.kind === 'waiting' && next.length > 0
    log.add({
      t: 'close',
      result: isContinued ? { kind: 'continued' } : result,
      isListening: log.listening > log.arrived,
      // What continues the tree is older than the messages, so that a cancel among them applies to it.
      orders: [...next.map((one): Packed<TreeOrder> => [one]), ...log.unheard.values()],
      taken: this.#attempt.box === undefined ? 0 : log.arrived,
    })
  }

  /**
   * Returns the order to carry out, or undefined if a cancel that has taken effect in an earlier life has taken it back. A later life chooses
   * the same one. The other orders are messages.
   */
  async #firstOrder(): Promise<TreeOrder | undefined> {
    const { log, box } = this.#attempt
    const first =
      box === undefined ? { n: 0, order: await this.#read(this.#attempt.order) } : await this.#choose(box)
    // A start that is repeated does not begin again.
    if (first.order.kind === 'start') return first.order
    return (await isTakenBack(first, await this.#readAll(log.heardBefore), log)) ? undefined : first.order
  }

  async #choose(box: readonly BoxedOrder[]): Promise<NumberedOrder> {
    const { log } = this.#attempt
    const orders = await this.#readAll(box.map(({ n, order }) => [n, order]))
    const ignored = await takenBack(orders, log)
    const first = firstOf(orders, ignored)
    if (first === undefined) throw new Error('unreachable: the mailbox has no order that wakes a tree')
    for (const n of [first.n, ...ignored]) log.unheard.delete(n)
    return first
  }

  #read(packed: Packed<TreeOrder>): Promise<TreeOrder> {
    return retryUntil(() => unpack(packed, this.#host.blobs), this.#attempt.log.lost)
  }

  #readAll(packed: Iterable<readonly [number, Packed<TreeOrder>]>): Promise<NumberedOrder[]> {
    return Promise.all([...packed].map(async ([n, one]) => ({ n, order: await this.#read(one) })))
  }

  async #carryOut(order: TreeOrder | undefined): Promise<RestResult> {
    const { log, cancelled } = this.#attempt
    if (order?.kind === 'lend' || order?.kind === 'wake') throw new Error('unreachable: not an order to run')
    // An earlier life may have run sessions since.
    const last = log.lives.length === 0 ? this.#attempt.previous : undefined
    const previous = last && (await unpack(last, this.#host.blobs))
    const host = { ...this.#host, log, previous }
    try {
      return await (order === undefined ? restAsIs(host, cancelled) : carryOutOrder(order, host, cancelled))
    } catch (error) {
      return order?.kind === 'message' ? this.#reject(error, host) : failure(error)
    }
  }

  /** A message that the tree rejects does not change how it rests. */
  async #reject(error: unknown, host: RestingTree): Promise<RestResult> {
    const { log, cancelled } = this.#attempt
    if (log.isDead) return failure(error)
    this.#host.report(`a message to ${log.root} was rejected: ${messageOf(error)}`)
    return restAsIs(host, cancelled).catch(() => failure(error))
  }

  /** The orders that continue the tree. */
  #next(order: TreeOrder | undefined, result: RestResult, woken: readonly string[]): readonly TreeOrder[] {
    const moved = this.#isMoving && result.kind === 'waiting' ? result.session : undefined
    const options = order?.kind === 'resume' && order.options ? { options: order.options } : {}
    const others = woken.filter((session) => session !== moved)
    return [
      ...(moved === undefined ? [] : [{ kind: 'resume', session: moved, ...options } as const]),
      ...others.map((session) => ({ kind: 'resume', session }) as const),
    ]
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

function failure(error: unknown): RestResult {
  return {
    kind: 'failed',
    code: error instanceof CadreError ? error.code : 'agent_execution',
    message: messageOf(error),
  }
}
