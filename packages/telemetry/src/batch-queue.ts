/**
 * Owns the queued data of one kind. Called by one `Telemetry`.
 *
 * 1. At most one request at a time. Nobody waits for it, except `close`.
 * 2. At most `most` items and `mostBytes` bytes are queued, including those of a failed request. Items that do not fit are dropped.
 * 3. A request contains a full batch, unless `delayMs` have passed since the first of its items was queued, or `flush` or `close` was
 *    called. So a busy run makes few requests: each costs as much CPU as dozens of spans.
 * 4. A request that may succeed later is tried `tries` times, with growing pauses. Then its items are dropped.
 * 5. Timers do not keep the process running.
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
const maxPauseMs = 30_000
const batchBytes = 2 * 1024 * 1024

export class BatchQueue {
  readonly #options: Required<BatchQueueOptions>
  /** The first items belong to the current request or its retry. */
  #items: string[] = []
  #bytes = 0
  /** How many of the first items are sent without waiting for a full batch. */
  #due = 0
  #tries = 0
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #isPaused = false
  #isClosed = false
  #deadline: number | undefined
  /** Why the request failed that was in progress when it was closed. */
  #failure: string | undefined

  constructor(options: BatchQueueOptions) {
    this.#options = { mostBytes: 8 * 1024 * 1024, ...options }
  }

  add(item: string): void {
    const { most, mostBytes } = this.#options
    if (this.#isClosed) return
    if (this.#items.length >= most || this.#bytes + item.length > mostBytes) {
      this.#options.lost('the collector does not accept data fast enough')
      return
    }
    this.#items.push(item)
    this.#bytes += item.length
    if (this.#sending !== undefined || this.#isPaused) return
    if (this.#hasBatch()) this.flush()
    else this.#wait(this.#options.delayMs)
  }

  /** Sends all queued items, unless the receiver has just failed. */
  flush(): void {
    this.#due = this.#items.length
    if (this.#sending !== undefined || this.#isPaused || this.#items.length === 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = undefined
      if (this.#items.length > 0 && !this.#isClosed) this.#wait(this.#options.delayMs)
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
    // Keeps the process running. The request itself does not.
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
    if (this.#items.length > 0) this.#lose(this.#items.length, 'the collector did not answer in time')
  }

  async #sendAll(): Promise<void> {
    while (this.#due > 0 || this.#hasBatch()) {
      const items = this.#nextBatch()
      const left = this.#deadline === undefined ? undefined : this.#deadline - performance.now()
      if (left !== undefined && left <= 0) return
      const delivery = await this.#options.send(items, left)
      if (delivery.kind === 'delivered') {
        this.#tries = 0
        this.#failure = undefined
        this.#remove(items.length)
        continue
      }
      const { reason, retry, afterMs } = delivery
      // It was closed meanwhile, and sends everything again.
      if (retry && left === undefined && this.#deadline !== undefined) {
        this.#failure = reason
        return
      }
      this.#tries++
      if (!retry || this.#tries >= tries || this.#deadline !== undefined) {
        this.#tries = 0
        this.#lose(this.#deadline === undefined ? items.length : this.#items.length, reason)
        continue
      }
      this.#isPaused = true
      const pause = firstPauseMs * 2 ** (this.#tries - 1)
      return this.#wait(Math.min(afterMs ?? pause, maxPauseMs))
    }
  }

  #hasBatch(): boolean {
    return this.#items.length >= this.#options.batch || this.#bytes >= batchBytes
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
    this.#due = Math.max(0, this.#due - count)
    for (const item of this.#items.splice(0, count)) this.#bytes -= item.length
  }

  #lose(count: number, reason: string): void {
    this.#remove(count)
    // More useful than that there was no time for another answer.
    this.#options.lost(this.#failure ?? reason)
  }
}
