/**
 * Owns which trees a keeper watches, and reports when they change or rest. Called by the keeper.
 *
 * 1. It asks only while it watches a tree for a listener, or has a listener for all other trees, with one request at a time: the directory
 *    of the place answers when a tree has changed, or after some seconds.
 * 2. An answer is a hint: the tree itself is read before anything is reported, and each version of it is reported once.
 * 3. All trees are compared when it begins, when the directory no longer knows every change, after a failed request, and at long
 *    intervals, because workers of older versions do not write to the directory.
 * 4. A tree is read when it is first watched, because its change may have been answered before.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TreeResult, TreeState } from '../tree-order.ts'
import type { Changes } from '../worker/handlers.ts'
import type { Directory } from './directory.ts'

type RestListener = (root: string, result: TreeResult) => void
type ChangeListener = (root: string) => void
type OtherListener = (root: string | undefined) => void

export interface TreeWatchOptions {
  readonly directory: Pick<Directory, 'changes'>
  /** Reads a tree. The version of its archive increases with each write. */
  readonly look: (root: string) => Promise<{ readonly version: number; readonly state: TreeState }>
  /** The shortest time between two requests. */
  readonly interval: number
  /** The longest time until all trees are compared. */
  readonly compareInterval: number
  /** Called with each answer of the directory, and with an error if it fails, or takes longer than the directory waits. */
  readonly answered?: (error?: unknown) => void
}

interface Watched {
  /** Only a later version is reported. */
  readonly after: number
  /** The version that was last reported while the tree ran. */
  seen: number
}

const failurePause = 1_000
/** If the connection is lost unnoticed. Longer than the directory waits. */
const answerTimeout = 60_000
/** After this time without an answer, no worker is running. The directory answers the first request at once, and waits before others. */
const firstSilence = 5_000
const silence = 25_000
const lookedAtOnce = 20

export class TreeWatch {
  readonly #options: TreeWatchOptions
  readonly #client = randomUUID()
  readonly #watched = new Map<string, Watched>()
  readonly #restListeners = new Set<RestListener>()
  readonly #changeListeners = new Set<ChangeListener>()
  readonly #otherListeners = new Set<OtherListener>()
  #request: AbortController | undefined
  #isRunning = false
  #isClosed = false
  #since: number | null = null
  #comparedAt = 0

  constructor(options: TreeWatchOptions) {
    this.#options = options
  }

  /** Reports the next rest of the tree after this version of its archive. Default: its last rest, if it does not run. */
  watch(root: string, version = -1): void {
    const watched = { after: version, seen: version }
    this.#watched.set(root, watched)
    if (this.#isRunning) void this.#check(root, watched)
    this.#start()
  }

  onRest(listener: RestListener): () => void {
    this.#restListeners.add(listener)
    this.#start()
    return () => this.#restListeners.delete(listener)
  }

  onChange(listener: ChangeListener): () => void {
    this.#changeListeners.add(listener)
    this.#start()
    return () => this.#changeListeners.delete(listener)
  }

  /** Calls `listener` with each tree that has changed and is not watched, and without one if any of them may have changed. */
  onOtherChange(listener: OtherListener): () => void {
    this.#otherListeners.add(listener)
    this.#start()
    return () => this.#otherListeners.delete(listener)
  }

  get hasListeners(): boolean {
    return this.#restListeners.size > 0 || this.#changeListeners.size > 0
  }

  /** Resolves when `isSo` resolves to true. */
  async until(isSo: () => Promise<boolean>): Promise<void> {
    while (!this.#isClosed && !(await isSo()))
      await new Promise((resolve) => setTimeout(resolve, Math.min(this.#options.interval, 50)))
  }

  close(): void {
    this.#isClosed = true
    this.#request?.abort()
  }

  get #isNeeded(): boolean {
    return !this.#isClosed && (this.#otherListeners.size > 0 || (this.hasListeners && this.#watched.size > 0))
  }

  #start(): void {
    if (this.#isRunning || !this.#isNeeded) return
    this.#isRunning = true
    void this.#run()
  }

  async #run(): Promise<void> {
    while (this.#isNeeded) {
      const began = performance.now()
      await this.#checkAll(await this.#changed())
      await this.#pause(this.#options.interval - (performance.now() - began))
    }
    this.#isRunning = false
    // The trees that are watched next are compared first.
    this.#since = null
  }

  /** Waits for changes, and returns the watched trees that may have changed. */
  async #changed(): Promise<readonly string[]> {
    const { compareInterval } = this.#options
    const { answered = () => {} } = this.#options
    const late = setTimeout(
      () => answered(new Error('no answer')),
      this.#since === null ? firstSilence : silence,
    )
    late.unref()
    try {
      const { seq, roots } = await this.#ask()
      answered()
      this.#since = seq
      this.#reportOthers(roots)
      if (roots !== null && performance.now() - this.#comparedAt < compareInterval)
        return roots.filter((root) => this.#watched.has(root))
    } catch (error) {
      if (!this.#isClosed) answered(error)
      // The next answer comes as soon as a worker is running.
      this.#since = null
      await this.#pause(failurePause)
    } finally {
      clearTimeout(late)
    }
    this.#comparedAt = performance.now()
    return [...this.#watched.keys()]
  }

  #reportOthers(roots: readonly string[] | null): void {
    const others = roots === null ? [undefined] : roots.filter((root) => !this.#watched.has(root))
    for (const root of others) for (const listener of this.#otherListeners) listener(root)
  }

  async #ask(): Promise<Changes> {
    const request = new AbortController()
    this.#request = request
    const timer = setTimeout(() => request.abort(), answerTimeout)
    timer.unref()
    try {
      const query = { since: this.#since, client: this.#client }
      return await this.#options.directory.changes(query, request.signal)
    } finally {
      clearTimeout(timer)
    }
  }

  async #checkAll(roots: readonly string[]): Promise<void> {
    for (let at = 0; at < roots.length && !this.#isClosed; at += lookedAtOnce)
      await Promise.all(
        roots.slice(at, at + lookedAtOnce).map((root) => {
          const watched = this.#watched.get(root)
          return watched && this.#check(root, watched)
        }),
      )
  }

  async #check(root: string, watched: Watched): Promise<void> {
    // A tree that cannot be read is compared again later.
    const found = await this.#options.look(root).catch(() => undefined)
    if (found === undefined || this.#isClosed || this.#watched.get(root) !== watched) return
    const { version, state } = found
    if (state.kind === 'rested' && version > watched.after) {
      this.#watched.delete(root)
      for (const listener of this.#restListeners) listener(root, state.result)
    } else if (state.kind === 'running' && version > watched.seen) {
      watched.seen = version
      for (const listener of this.#changeListeners) listener(root)
    }
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0 && !this.#isClosed) await sleep(ms, undefined, { ref: false })
  }
}
