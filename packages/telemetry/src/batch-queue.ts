/**
 * Owns the data of one kind that waits to be sent. Called by one `Telemetry`.
 *
 * 1. At most one request at a time. Nobody waits for it, except `close`.
 * 2. At most `most` items and `mostBytes` wait, counting those of a request that failed. What does not fit is lost.
 * 3. A request that may succeed later is tried `tries` times, with growing pauses. Then its items are lost.
 * 4. Timers do not keep the process running.
 */
import type { Delivery } from './post.ts'

export interface BatchQueueOptions {
  readonly send: (items: readonly string[], limitMs?: number) => Promise<Delivery>
  readonly most: number
  readonly batch: number
  readonly delayMs: number
  readonly mostBytes?: number
  /** Called for items that will never arrive. */
  readonly lost: (reason: string) => void
}

const tries = 5
const firstPauseMs = 1000
const longestPauseMs = 30_000
const batchBytes = 2 * 1024 * 1024

export class BatchQueue {
  readonly #options: Required<BatchQueueOptions>
  /** The first items belong to the current request or its retry. */
  #items: string[] = []
  #bytes = 0
  #tries = 0
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #isPaused = false
  #isClosed = false
  #deadline: number | undefined

  constructor(options: BatchQueueOptions) {
    this.#options = { mostBytes: 8 * 1024 * 1024, ...options }
  }

  add(item: string): void {
    const { most, mostBytes, batch } = this.#options
    if (this.#isClosed) return
    if (this.#items.length >= most || this.#bytes + item.length > mostBytes) {
      this.#options.lost('it does not accept data fast enough')
      return
    }
    this.#items.push(item)
    this.#bytes += item.length
    if (this.#sending !== undefined || this.#isPaused) return
    if (this.#items.length >= batch) this.flush()
    else this.#wait(this.#options.delayMs)
  }

  /** Sends all queued items, unless the receiver has just failed. */
  flush(): void {
    if (this.#sending !== undefined || this.#isPaused || this.#items.length === 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = undefined
    })
  }

  /** Sends all queued items once and accepts no more. Resolves after `limitMs` at the latest. */
  async close(limitMs: number): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#deadline = performance.now() + limitMs
    clearTimeout(this.#timer)
    this.#isPaused = false
    let end: NodeJS.Timeout | undefined
    // Keeps the process running, which the request does not.
    const limit = new Promise<void>((resolve) => {
      end = setTimeout(resolve, limitMs)
    })
    const rest = async () => {
      await this.#sending
      this.flush()
      await this.#sending
    }
    await Promise.race([rest(), limit])
    clearTimeout(end)
    if (this.#items.length > 0) this.#lose(this.#items.length, 'it did not answer in time')
  }

  async #sendAll(): Promise<void> {
    while (this.#items.length > 0) {
      const items = this.#nextBatch()
      const left = this.#deadline === undefined ? undefined : this.#deadline - performance.now()
      if (left !== undefined && left <= 0) return
      const delivery = await this.#options.send(items, left)
      if (delivery.kind === 'delivered') {
        this.#tries = 0
        this.#remove(items.length)
        continue
      }
      const { reason, retry, afterMs } = delivery
      this.#tries++
      if (!retry || this.#tries >= tries || this.#deadline !== undefined) {
        this.#tries = 0
        this.#lose(this.#deadline === undefined ? items.length : this.#items.length, reason)
        continue
      }
      this.#isPaused = true
      const pause = firstPauseMs * 2 ** (this.#tries - 1)
      return this.#wait(Math.min(afterMs ?? pause, longestPauseMs))
    }
  }

  #nextBatch(): string[] {
    let bytes = 0
    let count = 0
    for (; count < this.#items.length && count < this.#options.batch; count++) {
      bytes += (this.#items[count] as string).length
      if (count > 0 && bytes > batchBytes) break
    }
    return this.#items.slice(0, count)
  }

  #wait(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#isPaused = false
      this.flush()
    }, ms).unref()
  }

  #remove(count: number): void {
    for (const item of this.#items.splice(0, count)) this.#bytes -= item.length
  }

  #lose(count: number, reason: string): void {
    this.#remove(count)
    this.#options.lost(reason)
  }
}
