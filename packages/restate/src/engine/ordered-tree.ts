import { CadreError, type Engine, messageOf } from '@cadre/core'
import type { Blobs } from '../blobs.ts'
import { type Packed, unpack } from '../log/packed.ts'
import { retryUntil } from '../log/retry-until.ts'
import type { TreeOrder, TreeResult } from '../tree-order.ts'
import { carryOutOrder, sessionOf } from './carry-out-order.ts'
import type { TreeAttempt } from './invoke-tree.ts'
import type { OrderRunner } from './order-runner.ts'
import { TreeMessages } from './tree-messages.ts'

export interface OrderedTreeHost extends OrderRunner {
  readonly engine: Engine
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

  /** A session was opened: the tree exists now and can be paused. */
  opened(): void {
    if (this.#isMoving) this.#pause()
  }

  async run(): Promise<void> {
    const { log } = this.#attempt
    const { orchestrator, blobs, report } = this.#host
    const order = await retryUntil(() => unpack(this.#attempt.order, blobs), log.lost)
    const messages = new TreeMessages({ log, blobs, orchestrator, report })
    this.#attempt.onMessage = () => messages.attend()
    messages.begin()
    this.#archiveAfter(1)
    const result = await this.#carryOut(order)
    await messages.settled()
    this.#stopArchiving()
    if (log.isDead) return
    const isContinued = result.kind === 'waiting' && (this.#isMoving || messages.mayContinue)
    const next: TreeOrder[] = isContinued ? [this.#next(order)] : []
    log.add({
      t: 'close',
      result: isContinued ? { kind: 'continued' } : result,
      isListening: log.listening > log.arrived,
      orders: [...log.unheard.values(), ...next.map((one): Packed<TreeOrder> => [one])],
    })
  }

  async #carryOut(order: TreeOrder): Promise<TreeResult> {
    const { log, archive, cancelled } = this.#attempt
    if (order.kind === 'lend') throw new Error('unreachable: the log is lent')
    const previous = this.#attempt.previous && (await unpack(this.#attempt.previous, this.#host.blobs))
    try {
      const ids = () => [...new Set([...archive.ids(), ...[...log.loaded()].map(([id]) => id)])]
      return await carryOutOrder(order, { ...this.#host, log, ids, previous }, cancelled)
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
