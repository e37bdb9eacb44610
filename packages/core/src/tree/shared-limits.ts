/**
 * Owns what the trees of this process have of the limits that all trees of the home share. Called by the orchestrator.
 *
 * 1. Before a tree runs, it settles the reservations that its earlier lives left, and takes a slot if the home limits how many trees run at
 *    the same time. It gives the slot back when it ends or waits for a person.
 * 2. A slot is renewed while the tree runs, and taken again if the ledger has lost it. The slot of a process that has died becomes free by
 *    itself. A slot is released only after its last renewal has ended, so that no renewal returns it.
 * 3. A tree that is cancelled or paused while it waits does not wait any longer: it runs without a slot, and ends immediately.
 */
import { renewInterval } from '../budget/apply-to-ledger.ts'
import { askLedger, uniqueId } from '../budget/ledger-client.ts'
import { recoverReservations } from '../budget/recover-reservations.ts'
import type { RunningTree } from '../ports/ledger.ts'
import type { Ports } from '../ports/ports.ts'
import type { Notice } from '../ports/report.ts'
import { type Stoppable, untilStopped } from '../session/until-stopped.ts'
import type { StopReason, Tree } from './tree.ts'

export interface SharedSlot {
  /** Set if the tree was cancelled while it waited. */
  readonly stopped?: StopReason
  give(): Promise<void>
}

export class SharedLimits {
  readonly #ports: Ports
  readonly #notify: (root: string, notice: Notice) => void
  readonly #waiting = new Map<string, Wait>()
  /** The trees that have a slot. */
  readonly #running = new Set<RunningTree>()
  #renewal: Promise<unknown> = Promise.resolve()
  #timer: (() => void) | undefined

  constructor(ports: Ports, notify: (root: string, notice: Notice) => void) {
    this.#ports = ports
    this.#notify = notify
  }

  async enter(root: string, tree: Tree, signal: AbortSignal): Promise<SharedSlot> {
    const { ledger } = this.#ports
    if (ledger === undefined) return { give: () => Promise.resolve() }
    const wait = new Wait()
    if (signal.aborted || tree.isPausing) wait.end()
    const onAbort = () => wait.end()
    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiting.set(root, wait)
    try {
      await untilStopped(recoverReservations(this.#ports, root, wait), wait, undefined)
      const give = await this.#takeSlot(root, wait)
      return { give, ...(wait.reason && { stopped: wait.reason }) }
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.#waiting.delete(root)
    }
  }

  /** Cancels a tree that waits. Returns false if it does not. */
  stop(root: string, reason: StopReason): boolean {
    const wait = this.#waiting.get(root)
    if (wait === undefined) return false
    wait.reason = reason
    wait.end()
    return true
  }

  pause(root: string | undefined): void {
    for (const [one, wait] of this.#waiting) if (root === undefined || root === one) wait.end()
  }

  async #takeSlot(root: string, wait: Wait): Promise<() => Promise<void>> {
    const { ledger, clock } = this.#ports
    const limits = ledger?.parallel
    if (ledger === undefined || limits === undefined) return () => Promise.resolve()
    const tree: RunningTree = { root, owner: uniqueId(), limits }
    const order = { kind: 'enter', ...tree } as const
    const asking = askLedger({
      ports: { ledger, clock },
      stop: wait,
      waiting: (reason) =>
        this.#notify(root, { code: 'limit', message: `Session ${root} is waiting for its turn: ${reason}.` }),
      order: () => ({ account: 'trees', order }),
    })
    const answer = await untilStopped(asking, wait, undefined)
    if (answer?.kind === 'done') {
      this.#running.add(tree)
      this.#renewLater()
    }
    return async () => {
      this.#running.delete(tree)
      if (this.#running.size === 0) {
        this.#timer?.()
        this.#timer = undefined
      }
      await this.#renewal
      // Otherwise it becomes free later.
      await ledger.change('trees', { kind: 'leave', owner: tree.owner }).catch(() => {})
    }
  }

  #renewLater(): void {
    const { ledger, clock } = this.#ports
    this.#timer ??= clock.after(renewInterval, () => {
      this.#timer = undefined
      const trees = [...this.#running]
      const order = { kind: 'renew', owners: trees.map(({ owner }) => owner), trees } as const
      const sent = ledger?.change('trees', order).catch(() => {})
      this.#renewal = this.#renewal.then(() => sent)
      this.#renewLater()
    })
  }
}

class Wait implements Stoppable {
  isStopped = false
  reason: StopReason | undefined
  readonly #listeners = new Set<() => void>()

  onStop(callback: () => void): () => void {
    this.#listeners.add(callback)
    return () => this.#listeners.delete(callback)
  }

  end(): void {
    this.isStopped = true
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }
}
