/**
 * Owns which trees a keeper watches until they rest. Called by the keeper.
 *
 * 1. It asks only while it has listeners and a watched tree runs.
 * 2. A server that cannot be reached is asked again.
 */
import type { TreeResult, TreeState } from '../tree-order.ts'

type Listener = (root: string, result: TreeResult) => void

export interface RestWatchOptions {
  readonly stateOf: (root: string) => Promise<TreeState>
  /** The version of a tree's archive, which increases whenever it rests. */
  readonly versionOf: (root: string) => Promise<number>
  readonly interval: number
}

export class RestWatch {
  readonly #options: RestWatchOptions
  /** The version of each watched tree that is already known. */
  readonly #watched = new Map<string, number>()
  readonly #listeners = new Set<Listener>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: RestWatchOptions) {
    this.#options = options
  }

  /** Reports the next rest of the tree after this version of its archive. Default: its last rest, if it does not run. */
  watch(root: string, version = -1): void {
    this.#watched.set(root, version)
    this.#schedule()
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    this.#schedule()
    return () => this.#listeners.delete(listener)
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  /** Resolves when `isSo` resolves to true. */
  async until(isSo: () => Promise<boolean>): Promise<void> {
    while (!this.#isClosed && !(await isSo()))
      await new Promise((resolve) => setTimeout(resolve, Math.min(this.#options.interval, 50)))
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    if (this.#isClosed || this.#timer !== undefined) return
    if (this.#watched.size === 0 || this.#listeners.size === 0) return
    this.#timer = setTimeout(() => void this.#poll(), this.#options.interval)
    this.#timer.unref()
  }

  async #poll(): Promise<void> {
    await Promise.all([...this.#watched].map(([root, version]) => this.#check(root, version)))
    this.#timer = undefined
    this.#schedule()
  }

  async #check(root: string, version: number): Promise<void> {
    const { stateOf, versionOf } = this.#options
    const now = await versionOf(root).catch(() => version)
    if (now <= version) return
    const state = await stateOf(root).catch(() => undefined)
    if (state?.kind !== 'rested' || this.#watched.get(root) !== version) return
    this.#watched.delete(root)
    for (const listener of this.#listeners) listener(root, state.result)
  }
}
