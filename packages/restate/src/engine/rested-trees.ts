import { setTimeout as pause } from 'node:timers/promises'
import type { StoredSession } from '@cadre/core'
import { type ReadKeys, readHead } from '../log/read-archive.ts'
import type { TreeAttempt } from './invoke-tree.ts'

export interface RestedTreesOptions {
  readonly read: ReadKeys
  /** Aborts when the engine is closed. */
  readonly ended: AbortSignal
}

/** How long the server may need to show what was archived, in milliseconds. */
const archivePause = 1_000
const checkedAtOnce = 20

/** Keeps trees that have just rested in memory, until the server shows what was archived. */
export class RestedTrees {
  readonly #options: RestedTreesOptions
  readonly #attempts = new Map<string, TreeAttempt>()
  #isForgetting = false

  constructor(options: RestedTreesOptions) {
    this.#options = options
  }

  add(attempt: TreeAttempt): void {
    this.#attempts.set(attempt.log.root, attempt)
    void this.#forgetArchived()
  }

  delete(root: string): void {
    this.#attempts.delete(root)
  }

  roots(): readonly string[] {
    return [...this.#attempts.keys()]
  }

  /** The session as its tree has recorded it, if the server does not show that yet. */
  async read(id: string): Promise<StoredSession | undefined> {
    for (const attempt of this.#attempts.values()) {
      if (!attempt.log.isLoaded(id)) continue
      if (!(await this.#isArchived(attempt))) return attempt.log.stored(id)
      this.#forget(attempt)
    }
    return undefined
  }

  /** Resolves when other processes can read everything that has rested here. */
  async settled(): Promise<void> {
    for (const attempt of this.#attempts.values()) {
      for (let wait = 5; !this.#options.ended.aborted; wait = Math.min(2 * wait, 200)) {
        if (await this.#isArchived(attempt).catch(() => false)) break
        await pause(wait)
      }
      this.#forget(attempt)
    }
  }

  /** Sleeping trees must not take memory here. Many may rest at once, so one caller forgets all of them. */
  async #forgetArchived(): Promise<void> {
    if (this.#isForgetting) return
    this.#isForgetting = true
    const { ended } = this.#options
    while (this.#attempts.size > 0 && !ended.aborted) {
      await pause(archivePause, undefined, { ref: false })
      const attempts = [...this.#attempts.values()]
      for (let at = 0; at < attempts.length && !ended.aborted; at += checkedAtOnce)
        await Promise.all(
          attempts.slice(at, at + checkedAtOnce).map(async (attempt) => {
            // If the server does not answer, the tree is checked again.
            if (await this.#isArchived(attempt).catch(() => false)) this.#forget(attempt)
          }),
        )
    }
    this.#isForgetting = false
  }

  /** The server shows everything that this life has recorded. */
  async #isArchived({ log, archive }: TreeAttempt): Promise<boolean> {
    return ((await readHead(log.root, this.#options.read)).head?.version ?? 0) >= archive.version
  }

  /** The tree may have run and rested again in the meantime. */
  #forget(attempt: TreeAttempt): void {
    const { root } = attempt.log
    if (this.#attempts.get(root) === attempt) this.#attempts.delete(root)
  }
}
