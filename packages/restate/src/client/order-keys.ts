import { createHash, randomUUID } from 'node:crypto'

/** A caller that still repeats an order does so within this time. Afterwards, an equal order is another one. */
const rememberedMs = 10 * 60_000
const maxRemembered = 1_000

interface Unanswered {
  readonly key: string
  readonly until: number
}

/**
 * Gives each order a key, by which the server stores it once. If its answer was lost, the caller repeats the order, and the
 * repeated order has the same key. Otherwise a repeated resume would undo a cancel that was sent in between.
 */
export class OrderKeys {
  readonly #unanswered = new Map<string, Unanswered>()

  /** `key`: the key of the order, if it has one of its own. */
  async use(order: unknown, key: string | undefined, send: (key: string) => Promise<void>): Promise<void> {
    if (key !== undefined) return send(key)
    const name = createHash('sha256').update(JSON.stringify(order)).digest('base64')
    const known = this.#unanswered.get(name)
    const isRepeated = known !== undefined && known.until > performance.now()
    const used = isRepeated ? known.key : randomUUID()
    this.#unanswered.delete(name)
    try {
      await send(used)
    } catch (error) {
      this.#unanswered.set(name, { key: used, until: performance.now() + rememberedMs })
      const [oldest] = this.#unanswered.keys()
      if (oldest !== undefined && this.#unanswered.size > maxRemembered) this.#unanswered.delete(oldest)
      throw error
    }
  }
}
