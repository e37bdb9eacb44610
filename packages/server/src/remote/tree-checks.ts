/**
 * Owns which trees are to be compared with their record, because others may have continued or ended them. Called by the remote keeper.
 *
 * 1. One check runs at a time for each tree. A change during a check leads to another one.
 * 2. A check that fails is repeated later, after pauses that become longer. It does not delay the checks of other trees.
 */
import { messageOf } from '@cadre/core'
import { pauseAfterFailures } from './pause-after-failures.ts'

export interface TreeChecksOptions {
  readonly check: (root: string, agent: string) => Promise<void>
  /** Sets or clears the problem of a tree. */
  readonly report: (root: string, message: string | undefined) => void
}

interface Tree {
  readonly agent: string
  running: Promise<void> | undefined
  /** It may have changed since the check began. */
  isStale: boolean
  failures: number
  notBefore: number
}

/** The server may have been away for all trees. */
const maxRetries = 16

export class TreeChecks {
  readonly #options: TreeChecksOptions
  /** Trees that are being checked, and those whose check has failed. */
  readonly #trees = new Map<string, Tree>()
  #isClosed = false

  constructor(options: TreeChecksOptions) {
    this.#options = options
  }

  /** Checks a tree at once. Resolves also if the check fails. */
  async check(root: string, agent: string): Promise<void> {
    if (this.#isClosed) return
    let tree = this.#trees.get(root)
    if (tree === undefined) {
      tree = { agent, running: undefined, isStale: false, failures: 0, notBefore: 0 }
      this.#trees.set(root, tree)
    }
    if (tree.running === undefined) this.#start(root, tree)
    else tree.isStale = true
    await tree.running
  }

  /** Repeats checks that have failed. Call it every second. */
  tick(): void {
    let running = 0
    for (const { running: one } of this.#trees.values()) if (one !== undefined) running += 1
    for (const [root, tree] of this.#trees) {
      if (this.#isClosed || running >= maxRetries) return
      if (tree.running !== undefined || performance.now() < tree.notBefore) continue
      running += 1
      this.#start(root, tree)
    }
  }

  close(): void {
    this.#isClosed = true
  }

  #start(root: string, tree: Tree): void {
    tree.running = this.#run(root, tree).finally(() => {
      tree.running = undefined
      if (tree.failures === 0) this.#trees.delete(root)
    })
  }

  async #run(root: string, tree: Tree): Promise<void> {
    const { check, report } = this.#options
    try {
      do {
        tree.isStale = false
        await check(root, tree.agent)
        if (tree.failures > 0) report(root, undefined)
        tree.failures = 0
      } while (tree.isStale && !this.#isClosed)
    } catch (error) {
      tree.notBefore = performance.now() + pauseAfterFailures(++tree.failures)
      report(root, messageOf(error))
    }
  }
}
