import { setTimeout as pause } from 'node:timers/promises'
import type { Models } from '@cadre/core'

/** In milliseconds. */
const learnLimit = 2_000

/** The sizes of the models' context windows. Only for display. */
export class ContextWindows {
  readonly #sizes = new Map<string, number>()
  readonly #learned: () => void
  /** Resolves when the last model's window is known, or cannot be determined. Never rejects. */
  #learning: Promise<void> = Promise.resolve()

  constructor(learned: () => void) {
    this.#learned = learned
  }

  of(model: string): number | undefined {
    return this.#sizes.get(model)
  }

  learn(model: string, models: Models): void {
    this.#learning = this.#learn(model, models)
  }

  /** Waits briefly until the last window is known: a model server that does not answer must not delay the end of a turn. */
  async settled(): Promise<void> {
    await Promise.race([this.#learning, pause(learnLimit, undefined, { ref: false })])
  }

  async #learn(model: string, models: Models): Promise<void> {
    if (this.#sizes.has(model)) return this.#learned()
    const found = await models.resolve(model).catch(() => undefined)
    if (found?.kind === 'found' && found.model.window !== undefined)
      this.#sizes.set(model, found.model.window)
    this.#learned()
  }
}
