/**
 * Owns which trees of the place this daemon follows while workers run them, and their files. Called by the remote keeper.
 *
 * 1. While a tree is followed, this process holds its lease in the home, so that no command runs or changes it.
 * 2. A tree is followed from the order that wakes it until it rests and the file of its root shows the result. Other files that cannot be
 *    written then are written later.
 * 3. While an order is prepared, the tree is expected: it is followed too, but if no order is sent in the end, it is no longer followed.
 * 4. A server that cannot be reached, or a worker that is away, delays files and results. Nothing is lost.
 */
import { CadreError, messageOf, type RunResult } from '@cadre/core'
import type { FileEngine } from '@cadre/journal'
import { failureResult } from '../sessions/kept-result.ts'
import type { RemoteResult, RemoteTrees } from './remote-trees.ts'
import type { SessionMirror } from './session-mirror.ts'

export interface RemoteRunsOptions {
  readonly engine: Pick<FileEngine, 'hold' | 'letGo'>
  readonly trees: RemoteTrees
  readonly mirror: SessionMirror
  /** Called when a tree rests and its files are written. */
  readonly ended: (root: string, result: RunResult | undefined, sessions: readonly string[]) => void
  /** Called when the files of a running tree were written. */
  readonly synced: (root: string) => void
  /** Whether the file of the root shows the record. */
  readonly isShown: (root: string) => Promise<boolean>
  /** Calls `check` until the files of a tree are written. */
  readonly checkUntilWritten: (root: string, agent: string) => void
  /** Sets or clears the problem of a tree. */
  readonly report: (root: string, message: string | undefined) => void
}

interface Followed {
  readonly agent: string
  readonly members: Set<string>
  /** Resolves when this process holds its lease. */
  holding: Promise<void>
  isHeld: boolean
  /** The sessions for which an order is prepared. */
  readonly expected: Set<string>
  /** It runs, or an order was sent to it. */
  isOrdered: boolean
  /** It no longer runs, but its files do not show the result yet. */
  isRested: boolean
  isBusy: boolean
  /** Its record has changed while its files were written. */
  isDue: boolean
  /** It is followed only because its record was edited, so its next result is not news. */
  isQuiet: boolean
  /** A change of a person was sent, so the next result may be older than it. */
  isChanged: boolean
  /** Why it makes no progress, as of the last refresh. */
  notice: string | undefined
  /** Seconds until the next refresh, and between refreshes: they become rarer. */
  wait: number
  pause: number
}

/**
 * Seconds after which a tree that has reported no change is asked for its record. A worker of an older version reports none, and the result
 * of a short order may have been missed.
 */
const firstPause = 5
const maxPause = 60
/** After this time, an order that was sent shortly before a tree rested has woken it again. */
const lateOrder = 2_000

export class RemoteRuns {
  readonly #options: RemoteRunsOptions
  readonly #followed = new Map<string, Followed>()
  readonly #stops: readonly (() => void)[]
  #isClosed = false

  constructor(options: RemoteRunsOptions) {
    this.#options = options
    const { trees } = options
    this.#stops = [
      trees.onRest((root, result) => void this.#rested(root, result)),
      trees.onChange((root) => this.#changed(root)),
    ]
  }

  has(root: string): boolean {
    return this.#followed.has(root)
  }

  /** Whether a tree is followed only because its record was edited. */
  isQuiet(root: string): boolean {
    return this.#followed.get(root)?.isQuiet === true
  }

  /** The root of a session whose tree is followed. */
  rootOf(session: string): string | undefined {
    if (this.#followed.has(session)) return session
    for (const [root, { members }] of this.#followed) if (members.has(session)) return root
    return undefined
  }

  roots(): readonly string[] {
    return [...this.#followed.keys()]
  }

  /** How many trees run. */
  count(): number {
    return [...this.#followed.values()].filter(({ isRested }) => !isRested).length
  }

  agents(): readonly (readonly [session: string, agent: string])[] {
    return [...this.#followed].map(([root, { agent }]) => [root, agent] as const)
  }

  /**
   * Follows a tree, before an order is sent to it. Rejects with `owned` if another process writes its files. `isQuiet`: the order does not
   * run the tree, so its result is not reported again.
   */
  async follow(root: string, agent: string, { isQuiet = false } = {}): Promise<void> {
    const followed = this.#open(root, agent, isQuiet)
    if (followed === undefined) return
    followed.isOrdered = true
    await followed.holding
  }

  /** Follows a tree while an order for a session of it is prepared. Rejects with `owned` if another process writes its files. */
  async expect(root: string, agent: string, session: string): Promise<void> {
    const followed = this.#open(root, agent, false)
    followed?.expected.add(session)
    await followed?.holding
  }

  /** Call it immediately before the order that was prepared is sent. Returns false if the tree has rested since, and must be expected again. */
  ordered(root: string, session: string): boolean {
    const followed = this.#followed.get(root)
    if (followed === undefined || !followed.expected.delete(session)) return false
    followed.isOrdered = true
    return true
  }

  /** No order is sent to the session. */
  unexpect(root: string, session: string): void {
    const followed = this.#followed.get(root)
    if (followed === undefined) return
    followed.expected.delete(session)
    if (!followed.isOrdered && followed.expected.size === 0) this.#leave(root, followed)
  }

  /** Whether a tree runs, or an order was sent to it. */
  isOrdered(root: string): boolean {
    return this.#followed.get(root)?.isOrdered === true
  }

  #open(root: string, agent: string, isQuiet: boolean): Followed | undefined {
    const known = this.#followed.get(root)
    if (known !== undefined && !isQuiet) known.isQuiet = false
    if (this.#isClosed || known !== undefined) return known
    const followed: Followed = {
      agent,
      members: new Set([root]),
      holding: Promise.resolve(),
      isHeld: false,
      expected: new Set(),
      isOrdered: false,
      isRested: false,
      isBusy: false,
      isDue: false,
      isQuiet,
      isChanged: false,
      notice: undefined,
      wait: firstPause,
      pause: firstPause,
    }
    this.#followed.set(root, followed)
    followed.holding = this.#hold(root, followed)
    return followed
  }

  async #hold(root: string, followed: Followed): Promise<void> {
    const { engine } = this.#options
    try {
      await engine.hold(root)
      followed.isHeld = true
      // Nobody has waited for it.
      if (this.#followed.get(root) !== followed) engine.letGo(root)
    } catch (error) {
      if (this.#followed.get(root) === followed) this.#followed.delete(root)
      throw error
    }
  }

  #leave(root: string, followed: Followed): void {
    this.#followed.delete(root)
    if (followed.isHeld) this.#options.engine.letGo(root)
  }

  /** A person's change was sent to a tree that is followed. */
  changed(root: string): void {
    const followed = this.#followed.get(root)
    if (followed !== undefined) followed.isChanged = true
  }

  /** Call it every second. */
  tick(): void {
    for (const [root, followed] of this.#followed) {
      if (followed.isBusy || --followed.wait > 0) continue
      void this.#serve(root, followed, () => this.#refresh(root, followed))
    }
  }

  /** Writes the files of a tree that may have run while this daemon did not, and follows it if it runs. */
  async check(root: string, agent: string): Promise<void> {
    const { trees, mirror, ended } = this.#options
    if (this.#isClosed || this.#followed.has(root)) return
    const state = await trees.state(root)
    if (state.kind === 'absent') return
    if (state.kind === 'running') {
      await this.follow(root, agent)
      trees.watch(root)
      return
    }
    const { ids, isAwaited } = await mirror.sync(root)
    if (!isAwaited) return ended(root, undefined, ids)
    await this.follow(root, agent)
    trees.watch(root)
  }

  close(): void {
    this.#isClosed = true
    for (const stop of this.#stops) stop()
    this.#options.trees.close()
    for (const [root, followed] of this.#followed) this.#leave(root, followed)
  }

  /** The tree has archived its record. */
  #changed(root: string): void {
    const followed = this.#followed.get(root)
    if (followed === undefined) return
    followed.isDue = true
    void this.#serve(root, followed)
  }

  /** One at a time for each tree. Writes its files as long as its record changes. */
  async #serve(root: string, followed: Followed, first?: () => Promise<void>): Promise<void> {
    if (followed.isBusy) return
    followed.isBusy = true
    try {
      await first?.()
      while (followed.isDue && this.#isCurrent(root, followed)) {
        followed.isDue = false
        await this.#sync(root, followed)
        this.#options.synced(root)
      }
    } catch (error) {
      this.#options.report(root, messageOf(error))
    }
    followed.isBusy = false
    // A notice changes without a new record.
    followed.pause = followed.notice === undefined ? Math.min(maxPause, 2 * followed.pause) : firstPause
    followed.wait = followed.pause
  }

  /** Asks the worker for the current record. Takes until a worker is running. */
  async #refresh(root: string, followed: Followed): Promise<void> {
    const { trees } = this.#options
    const state = await trees.state(root)
    if (state.kind === 'running') {
      followed.notice = state.notice
      if (state.notice !== undefined) this.#options.report(root, state.notice)
      await trees.refresh(root)
      followed.isDue = true
    } else trees.watch(root)
  }

  #isCurrent(root: string, followed: Followed): boolean {
    return !this.#isClosed && this.#followed.get(root) === followed
  }

  async #sync(root: string, followed: Followed): Promise<void> {
    const { ids, isAwaited } = await this.#options.mirror.sync(root)
    for (const id of ids) followed.members.add(id)
    if (isAwaited) followed.isChanged = true
    this.#options.report(root, followed.notice)
  }

  async #rested(root: string, result: RemoteResult): Promise<void> {
    const followed = this.#followed.get(root)
    if (followed === undefined || result.kind === 'continued') return
    followed.notice = undefined
    followed.isRested = true
    let isWritten = false
    for (let pause = 100; this.#isCurrent(root, followed); pause = Math.min(5_000, pause * 2)) {
      try {
        await this.#sync(root, followed)
        isWritten = true
        break
      } catch (error) {
        this.#options.report(root, messageOf(error))
        if (await this.#isShown(root)) break
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
    if (!this.#isCurrent(root, followed)) return
    const { ended, report, checkUntilWritten } = this.#options
    this.#leave(root, followed)
    const news = followed.isQuiet ? undefined : runResult(root, followed.agent, result)
    ended(root, news, [...followed.members])
    if (!isWritten) {
      report(root, undefined)
      checkUntilWritten(root, followed.agent)
    } else if (followed.isChanged) this.#checkLater(root, followed.agent)
  }

  async #isShown(root: string): Promise<boolean> {
    try {
      return await this.#options.isShown(root)
    } catch {
      return false
    }
  }

  #checkLater(root: string, agent: string): void {
    const again = () =>
      this.check(root, agent).then(
        () => this.#options.report(root, undefined),
        (error: unknown) => this.#options.report(root, messageOf(error)),
      )
    setTimeout(() => void again(), lateOrder).unref()
  }
}

function runResult(
  root: string,
  agent: string,
  result: Exclude<RemoteResult, { kind: 'continued' }>,
): RunResult {
  if (result.kind !== 'failed') return result
  return failureResult(root, agent, new CadreError(result.code, result.message))
}
