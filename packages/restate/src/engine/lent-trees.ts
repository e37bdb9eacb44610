/**
 * Owns the logs that this process borrows, because it runs the orchestrator itself and not by orders from the server. Tests do. Called by
 * the engine.
 *
 * A log is borrowed with the first session that is opened, and closed when the last open session of its tree has ended or sleeps.
 */
import type { TreeLog } from '../log/tree-log.ts'
import type { TreeAttempt } from './invoke-tree.ts'

export class LentTrees {
  readonly #request: (root: string) => Promise<void>
  /** Trees whose log was requested, and whose invocation has not ended. */
  readonly requested = new Set<string>()
  readonly #waiting = new Map<string, ((attempt: TreeAttempt | undefined) => void)[]>()
  readonly #open = new Map<TreeLog, Set<string | symbol>>()

  constructor(request: (root: string) => Promise<void>) {
    this.#request = request
  }

  /** Resolves when this process has the log of the tree. */
  async borrow(root: string): Promise<TreeAttempt> {
    for (;;) {
      const next = this.next(root)
      if (!this.requested.has(root)) {
        this.requested.add(root)
        await this.#request(root)
      }
      const attempt = await next
      if (attempt !== undefined) return attempt
    }
  }

  /** Resolves with the next life of the tree here, or with `undefined` when its invocation has ended. */
  next(root: string): Promise<TreeAttempt | undefined> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(root)
      if (waiting === undefined) this.#waiting.set(root, [resolve])
      else waiting.push(resolve)
    })
  }

  arrived(attempt: TreeAttempt): void {
    this.#open.set(attempt.log, new Set())
    this.#resolve(attempt.log.root, attempt)
  }

  closed(root: string): void {
    this.requested.delete(root)
    this.#resolve(root, undefined)
  }

  entered(log: TreeLog, session: string, isOpen: boolean): void {
    if (isOpen) this.#open.get(log)?.add(session)
    else this.#leave(log, session)
  }

  /** Keeps the log open while `work` runs. */
  async use<T>(log: TreeLog, work: () => Promise<T>): Promise<T> {
    const use = Symbol()
    this.#open.get(log)?.add(use)
    try {
      return await work()
    } finally {
      this.#leave(log, use)
    }
  }

  #leave(log: TreeLog, user: string | symbol): void {
    const open = this.#open.get(log)
    if (open === undefined) return
    open.delete(user)
    // The caller may open another session in this turn.
    setImmediate(() => {
      if (open.size > 0 || log.isDead || log.isClosed) return
      this.#open.delete(log)
      log.add({ t: 'close', result: { kind: 'continued' }, isListening: false, orders: [] })
    })
  }

  #resolve(root: string, attempt: TreeAttempt | undefined): void {
    const waiting = this.#waiting.get(root) ?? []
    this.#waiting.delete(root)
    for (const resolve of waiting) resolve(attempt)
  }
}
