import type { Leases } from '@cadre/home'
import { deadSegments, type RecoverOptions, recoverSessions } from './recover.ts'
import type { WriteAhead } from './write-ahead.ts'

/**
 * Owns the leases of trees in this process, from the first open session of a tree until the last one is closed and its files are synced.
 * Called by the engine.
 *
 * 1. A lease is released only after a checkpoint of the tree, so that no segment of this process has frames of a session that another
 *    process resumes.
 * 2. A tree that is entered again during that checkpoint keeps its lease.
 */
export class Trees {
  private readonly leases: Leases
  private readonly ahead: WriteAhead
  private readonly recovery: RecoverOptions
  /** Open sessions by tree. */
  private readonly open = new Map<string, number>()
  private readonly leaving = new Set<Promise<void>>()
  private recovering: Promise<void> | undefined

  constructor(leases: Leases, ahead: WriteAhead, recovery: RecoverOptions) {
    this.leases = leases
    this.ahead = ahead
    this.recovery = recovery
  }

  /** Rejects with `owned` if another process runs the tree. */
  async enter(root: string): Promise<void> {
    const isNew = this.leases.acquire(root)
    this.open.set(root, (this.open.get(root) ?? 0) + 1)
    // The process that ran the tree before may have died since this one began.
    if (isNew && deadSegments(this.recovery).length > 0) {
      this.recovering ??= recoverSessions(this.recovery).finally(() => {
        this.recovering = undefined
      })
    }
    if (this.recovering === undefined) return
    await this.recovering.catch((error) => {
      this.leave(root)
      throw error
    })
  }

  leave(root: string): void {
    const left = (this.open.get(root) ?? 1) - 1
    if (left > 0) {
      this.open.set(root, left)
      return
    }
    this.open.delete(root)
    const leaving = this.giveUp(root).finally(() => this.leaving.delete(leaving))
    this.leaving.add(leaving)
  }

  async onLeft(): Promise<void> {
    await Promise.all(this.leaving)
  }

  private giveUp(root: string): Promise<void> {
    return new Promise((resolve) => {
      this.ahead.checkpoint(root, (error) => {
        // If the files are not synced, the segment is still needed, so the lease is kept until this process ends.
        if (error === null && !this.open.has(root) && !this.ahead.knows(root)) this.leases.release(root)
        resolve()
      })
    })
  }
}
