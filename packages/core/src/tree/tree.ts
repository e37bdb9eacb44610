import type { Account } from '../budget/budget.ts'
import type { RunLimits } from '../ports/limits.ts'
import type { Clock } from '../ports/ports.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import type { Stoppable } from '../session/until-stopped.ts'
import { Slots } from './slots.ts'

/** The reason why a session was stopped. */
export type StopReason =
  /** The whole run was stopped: resuming continues it. */
  | { readonly kind: 'cancelled'; readonly by: 'run' }
  /** Only this session, by a person, or because its parent ended without waiting for it. */
  | { readonly kind: 'cancelled'; readonly by: 'person' | 'parent' }
  | { readonly kind: 'timeout'; readonly limit: number }

/**
 * A running session in its tree, with its stop signal, time limit and account. Each node has its own signal, and the tree stops nodes one
 * by one, because Node warns about a leak if one signal has a thousand listeners.
 */
export class TreeNode implements Stoppable {
  readonly #controller = new AbortController()
  readonly #parent: TreeNode | undefined
  readonly #children = new Set<TreeNode>()
  readonly #clock: Clock
  /** A session that a person started. */
  readonly isEntry: boolean
  /** Set when the session is opened; `undefined` when no budget applies. */
  account: Account | undefined
  #reason: StopReason | undefined
  #timeLeft: number | undefined
  #limit = 0
  #armedAt = 0
  #disarm: (() => void) | undefined
  #persons = 0
  readonly #listeners = new Set<() => void>()
  readonly #messageListeners = new Set<() => void>()
  /** How to give up the pending model requests. True: an interruption by a person gives it up as well. */
  readonly #requests = new Map<() => void, boolean>()
  #isBrokenOff = false
  #wasInterrupted = false
  #isSuspending = false

  constructor(parent: TreeNode | undefined, isEntry: boolean, clock: Clock) {
    this.#parent = parent
    this.isEntry = isEntry
    this.#clock = clock
    if (parent === undefined) return
    parent.#children.add(this)
    const above = parent.#reason
    if (above !== undefined)
      this.stop({ kind: 'cancelled', by: above.kind === 'cancelled' ? above.by : 'parent' })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get reason(): StopReason | undefined {
    return this.#reason
  }

  get isStopped(): boolean {
    return this.#reason !== undefined
  }

  /** True once the end of this life is being recorded: a stop would no longer have an effect. */
  get isSuspending(): boolean {
    return this.#isSuspending
  }

  suspend(): void {
    this.#isSuspending = true
  }

  onStop(callback: () => void): () => void {
    this.#listeners.add(callback)
    return () => this.#listeners.delete(callback)
  }

  /** Calls `callback` whenever a message for the session arrives. The returned function unsubscribes. */
  onMessage(callback: () => void): () => void {
    this.#messageListeners.add(callback)
    return () => this.#messageListeners.delete(callback)
  }

  /** Notifies listeners of a new message. */
  notifyMessage(): void {
    for (const callback of this.#messageListeners) callback()
  }

  /** Stops a pending model request: when the session is stopped, or paused without waiting for replies. */
  get question(): Stoppable {
    return this.#request(false)
  }

  /** Like `question`, but also stops when a person interrupts the reply. */
  get reply(): Stoppable {
    return this.#request(true)
  }

  #request(isInterruptible: boolean): Stoppable {
    return {
      isStopped: this.isStopped || this.#isBrokenOff,
      onStop: (callback) => {
        this.#requests.set(callback, isInterruptible)
        return () => this.#requests.delete(callback)
      },
    }
  }

  #giveUp(requests: readonly (() => void)[]): void {
    for (const request of requests) {
      this.#requests.delete(request)
      request()
    }
  }

  /** Aborts the reply in flight. Returns false if there is none. */
  interruptReply(): boolean {
    const replies = [...this.#requests].flatMap(([request, isInterruptible]) =>
      isInterruptible ? [request] : [],
    )
    if (replies.length === 0) return false
    this.#wasInterrupted = true
    this.#giveUp(replies)
    return true
  }

  /** Returns whether a reply was interrupted since the last call. */
  takeInterruption(): boolean {
    const was = this.#wasInterrupted
    this.#wasInterrupted = false
    return was
  }

  /** Aborts pending model requests. They are sent again when the session resumes. */
  breakOff(): void {
    this.#isBrokenOff = true
    this.#giveUp([...this.#requests.keys()])
  }

  get isBrokenOff(): boolean {
    return this.#isBrokenOff
  }

  /** Stops this session and everything below it. The first reason stays. */
  stop(reason: StopReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#disarm?.()
    const below: StopReason =
      reason.kind === 'cancelled' && reason.by === 'run' ? reason : { kind: 'cancelled', by: 'parent' }
    for (const child of this.#children) child.stop(below)
    this.#controller.abort(reason)
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
    this.#giveUp([...this.#requests.keys()])
  }

  /** Starts the clock of a delegation that may still be active for `left` of its `limit` milliseconds. */
  limitTime(limit: number, left: number): void {
    this.#limit = limit
    this.#timeLeft = Math.max(0, left)
    if (this.#persons === 0) this.#arm()
  }

  /** Pauses the clocks of this session and those above while a person is asked. */
  awaitPerson(): void {
    for (let node: TreeNode | undefined = this; node !== undefined; node = node.#parent) {
      if (node.#persons++ === 0) node.#pause()
    }
  }

  personAnswered(): void {
    for (let node: TreeNode | undefined = this; node !== undefined; node = node.#parent) {
      if (--node.#persons === 0 && node.#timeLeft !== undefined) node.#arm()
    }
  }

  leave(): void {
    this.#disarm?.()
    this.#disarm = undefined
    this.#timeLeft = undefined
    if (this.#parent !== undefined) this.#parent.#children.delete(this)
  }

  #arm(): void {
    if (this.#timeLeft === undefined || this.#reason !== undefined) return
    this.#armedAt = this.#clock.now()
    this.#disarm = this.#clock.after(this.#timeLeft, () => this.stop({ kind: 'timeout', limit: this.#limit }))
  }

  #pause(): void {
    if (this.#disarm === undefined || this.#timeLeft === undefined) return
    this.#disarm()
    this.#disarm = undefined
    this.#timeLeft -= this.#clock.now() - this.#armedAt
  }
}

/** The running part of one tree of sessions, in this process. */
export class Tree {
  readonly slots: Slots
  readonly limits: RunLimits
  readonly #nodes = new Map<string, TreeNode>()
  readonly #clock: Clock
  readonly #counted = new Map<string, number>()
  readonly #entered = new Set<string>()
  readonly #followed = new Set<AbortSignal>()
  #sessions = 0
  #isLost = false
  #isPausing = false

  constructor(limits: RunLimits, clock: Clock) {
    this.limits = limits
    this.slots = new Slots(limits.concurrency)
    this.#clock = clock
  }

  /** The number of sessions the tree has had, including those about to start. */
  get sessions(): number {
    return this.#sessions
  }

  /** Counts a session once, when its start is decided or when it is opened, whichever comes first. */
  count(session: string, subtree = 1): void {
    const before = this.#counted.get(session) ?? 0
    if (subtree <= before) return
    this.#sessions += subtree - before
    this.#counted.set(session, subtree)
  }

  enter(spec: SessionSpec): TreeNode {
    const parent = spec.parent && this.#nodes.get(spec.parent.session)
    const node = new TreeNode(parent, spec.parent === undefined, this.#clock)
    this.#nodes.set(spec.id, node)
    this.#entered.add(spec.id)
    if (this.#isLost) node.stop({ kind: 'cancelled', by: 'run' })
    return node
  }

  /** True when another process has taken the tree over. This process must not record anything for it. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** Marks the tree as lost when this signal fires. */
  follow(lost: AbortSignal): void {
    if (this.#followed.has(lost)) return
    if (lost.aborted) this.#lose()
    this.#followed.add(lost)
    lost.addEventListener('abort', this.#lose, { once: true })
  }

  readonly #lose = (): void => {
    this.#isLost = true
    for (const node of this.#nodes.values()) node.stop({ kind: 'cancelled', by: 'run' })
  }

  /** Suspends its sessions at their next round. `breaksOff`: does not wait for model replies. */
  pause(breaksOff: boolean): void {
    this.#isPausing = true
    if (breaksOff) for (const node of this.#nodes.values()) node.breakOff()
  }

  get isPausing(): boolean {
    return this.#isPausing
  }

  /** Returns whether the session was opened in this process, and is therefore already counted. */
  hasEntered(session: string): boolean {
    return this.#entered.has(session)
  }

  /** Keep the node of a later life of the session. */
  leave(spec: SessionSpec, node: TreeNode): void {
    node.leave()
    if (this.#nodes.get(spec.id) === node) this.#nodes.delete(spec.id)
  }

  close(): void {
    for (const lost of this.#followed) lost.removeEventListener('abort', this.#lose)
  }

  node(session: string): TreeNode | undefined {
    return this.#nodes.get(session)
  }
}
