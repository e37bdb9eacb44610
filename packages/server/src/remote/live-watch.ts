/**
 * Owns the requests for text that workers are receiving from models. Called by the remote keeper, every second.
 *
 * 1. A tree is asked for news only while somebody watches it.
 * 2. Nothing is stored, and a failure has no effect: the record has everything in the end.
 */
import type { CadreEvent } from '@cadre/core'
import { pause } from '@cadre/disk'
import type { RemoteTrees } from './remote-trees.ts'

/** Somebody who may be watching trees, such as the page. */
export interface LiveViewer {
  isWatched(root: string): boolean
  show(root: string, events: readonly CadreEvent[]): void
}

/** The next worker behind a load balancer may run the tree. */
const awayPauseMs = 300
const failurePauseMs = 5_000

export class LiveWatch {
  readonly #trees: Pick<RemoteTrees, 'live'>
  readonly #viewer: LiveViewer
  readonly #asking = new Map<string, AbortController>()

  constructor(trees: Pick<RemoteTrees, 'live'>, viewer: LiveViewer) {
    this.#trees = trees
    this.#viewer = viewer
  }

  /** Asks the trees that are watched, and no others. */
  tick(roots: readonly string[]): void {
    const watched = new Set(roots.filter((root) => this.#viewer.isWatched(root)))
    for (const [root, asking] of this.#asking) if (!watched.has(root)) asking.abort()
    for (const root of watched) if (!this.#asking.has(root)) void this.#ask(root)
  }

  close(): void {
    for (const asking of this.#asking.values()) asking.abort()
  }

  async #ask(root: string): Promise<void> {
    const asking = new AbortController()
    const { signal } = asking
    this.#asking.set(root, asking)
    let cursor: string | undefined
    while (!signal.aborted && this.#viewer.isWatched(root)) {
      try {
        const answer = await this.#trees.live(root, cursor, signal)
        if (signal.aborted) break
        if (answer.kind === 'away') await pause(awayPauseMs, signal)
        else {
          cursor = answer.cursor
          this.#viewer.show(root, answer.events)
        }
      } catch {
        await pause(failurePauseMs, signal)
      }
    }
    this.#asking.delete(root)
  }
}
