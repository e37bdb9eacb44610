import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import { CadreError, type Draft, type Entry } from '@cadre/core'
import type { Leases } from '@cadre/home'
import { checkForEdit } from './check-for-edit.ts'
import type { EngineParts } from './engine-parts.ts'
import { recordPending } from './record-pending.ts'
import type { PendingStep, SessionFile, State } from './session-file.ts'

/** How long to wait, in milliseconds, for a file that another program is writing. */
const recheckMs = 20
/** Milliseconds until a failed write is retried. */
const retryMs = 250

/**
 * Owns the writes of all sessions in this process. Writes pending entries together, once per turn of the event loop, and makes them durable
 * with one sync. Called by runs.
 *
 * 1. Entries of one `record` call are adjacent, and in the order of the calls for a session.
 * 2. A promise resolves after its entries are in the session file and in the segment; if it is durable, after a sync that began later than
 *    that.
 * 3. A session whose file another program is writing waits; other sessions do not wait for it.
 */
export class Recorder {
  private readonly parts: EngineParts
  private readonly leases: Leases
  private queue: SessionFile[] = []
  private isScheduled = false
  private outstanding = 0
  private idle: (() => void)[] = []
  private isClosed = false

  constructor(parts: EngineParts, leases: Leases) {
    this.parts = parts
    this.leases = leases
  }

  record(file: SessionFile, drafts: readonly Draft[], durable: boolean): Promise<readonly Entry[]> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) {
        reject(
          new Error(`unreachable: session ${file.id} tried to record an entry after its engine was closed`),
        )
        return
      }
      this.outstanding++
      file.pending.push({
        drafts,
        entries: [],
        durable,
        resolve: (entries) => {
          resolve(entries)
          this.settled()
        },
        reject: (error) => {
          reject(error)
          this.settled()
        },
      })
      this.enqueue(file)
    })
  }

  /** Rewrites the header, together with the pending entries. */
  setState(file: SessionFile, state: State): Promise<readonly Entry[]> {
    file.wanted = state
    return this.record(file, [], false)
  }

  /** Applies a person's edit. The event about it is recorded in the next turn. */
  look(file: SessionFile): void {
    try {
      checkForEdit(file, this.parts)
    } catch {
      // The next write finds the same error, and can report it to its caller.
      return
    }
    if (file.notes.length > 0) this.enqueue(file)
  }

  enqueue(file: SessionFile): void {
    if (file.isQueued) return
    file.isQueued = true
    this.queue.push(file)
    if (this.isScheduled) return
    this.isScheduled = true
    setImmediate(this.tick)
  }

  /** Writes all pending entries now. */
  flush(): void {
    if (this.queue.length > 0) this.tick()
  }

  /** Resolves when everything is recorded. Later records are rejected. */
  async close(): Promise<void> {
    if (this.outstanding > 0) await new Promise<void>((resolve) => this.idle.push(resolve))
    this.flush()
    this.isClosed = true
  }

  private readonly tick = (): void => {
    if (this.isClosed) return
    const { queue } = this
    this.queue = []
    this.isScheduled = false
    const soon: PendingStep[] = []
    const later: PendingStep[] = []
    for (const file of queue) {
      file.isQueued = false
      for (const waiter of this.write(file)) (waiter.durable ? later : soon).push(waiter)
    }
    const failure = this.secure(queue)
    for (const waiter of soon) waiter.resolve(waiter.entries)
    if (failure !== undefined) for (const waiter of later) waiter.reject(failure)
    else if (later.length > 0) {
      this.parts.ahead.sync((error) => {
        for (const waiter of later) error === null ? waiter.resolve(waiter.entries) : waiter.reject(error)
      })
    }
  }

  private write(file: SessionFile): readonly PendingStep[] {
    try {
      if (!this.leases.renew(file.root)) {
        throw new CadreError('owned', `session ${file.id} was taken over by another process.`)
      }
      const waiters = recordPending(file, this.parts)
      if (waiters !== undefined) return waiters
      setTimeout(() => this.enqueue(file), recheckMs)
    } catch (error) {
      if (this.parts.shouldRetry(error)) {
        setTimeout(() => this.enqueue(file), retryMs)
        return []
      }
      for (const waiter of file.takeWaiters()) waiter.reject(error)
    }
    return []
  }

  /** If the segment cannot be written, syncs the session files one by one. Returns the error if that fails too. */
  private secure(files: readonly SessionFile[]): unknown {
    try {
      this.parts.ahead.flush()
      return undefined
    } catch {
      return this.syncOneByOne(files)
    }
  }

  private syncOneByOne(files: readonly SessionFile[]): unknown {
    try {
      for (const file of files) {
        file.isBased = false
        const target = openSync(file.path, 'r')
        fdatasyncSync(target)
        closeSync(target)
      }
      return undefined
    } catch (error) {
      return error
    }
  }

  private settled(): void {
    if (--this.outstanding > 0) return
    const { idle } = this
    this.idle = []
    for (const resolve of idle) resolve()
  }
}
