/**
 * The checkouts of a worker: one for each tree that runs here. Used by the orchestrator of the worker.
 *
 * 1. A tree runs only after this worker has taken its checkout over, and no call of it is recorded as settled before its files are stored.
 * 2. If the repository does not answer, the tree waits, people see a notice, and Cadre retries. Only a lost tree or a cancel ends the wait.
 *    After several failures, the notice and the worker's log say what a person can do.
 * 3. A worker whose checkout was taken over gives the tree up.
 * 4. A checkout is removed when its tree has ended. Of trees that wait for a person, a few are kept, so that they continue quickly.
 *    A checkout with files that may not be stored is never removed while its tree can continue here.
 */
import { readdirSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CadreError, messageOf } from '@cadre/core'
import { findGit, makeFolder } from '@cadre/disk'
import { type Home, isSessionName } from '@cadre/home'
import { type CheckoutPaths, checkoutsIn, createCheckoutPaths } from './checkout-paths.ts'
import { openCheckoutRepository } from './checkout-repository.ts'
import { createRepositoryCache } from './repository-cache.ts'
import { type CheckoutResult, TreeCheckout } from './tree-checkout.ts'

/** One life of a tree on this worker. */
export interface CheckoutLife {
  readonly root: string
  readonly lost: AbortSignal
  /** Resolves when this worker certainly still runs the tree. Rejects otherwise. */
  confirm(): Promise<void>
  /** Lets the tree continue on a worker that can take it over. */
  giveUp(): void
  /** Shows why the tree makes no progress. Without a message, removes it. */
  notify(message?: string): void
}

export interface Checkouts {
  readonly paths: CheckoutPaths
  /** The address of the repository, without credentials. */
  readonly repository: string
  /** Where the checkout of a tree is, in the home of this worker. */
  placeOf(root: string): string
  /** A tree starts to run here. */
  begin(life: CheckoutLife): void
  /** Creates the checkout of a tree, or takes it over, and returns its folder. Waits until the repository answers. */
  prepare(root: string, signal: AbortSignal): Promise<string>
  /** Ends the wait in `prepare` or `finish`. Returns false if there is none. A push that makes progress has some time left. */
  stopWaiting(root: string): boolean
  /** Stores the files of the tree. Waits until the repository answers. Does nothing if the tree has no checkout. */
  store(root: string, signal?: AbortSignal): Promise<void>
  /** Puts the changes of the tree on a branch. `waits`: until the repository answers. Does nothing if the tree has no checkout. */
  finish(
    root: string,
    author: string,
    options: { readonly waits: boolean },
  ): Promise<CheckoutResult | undefined>
  /** The tree has stopped running here. Removes its checkout if it has ended and everything is stored. */
  leave(root: string, hasEnded: boolean): Promise<void>
}

export interface CheckoutsOptions {
  readonly home: Home
  /** Anything that git can fetch from and push to. */
  readonly repository: string
  /** The name of this worker in the home. It stays the same when the worker restarts. */
  readonly worker: string
  readonly report: (message: string) => void
  /** How many checkouts of trees that do not run are kept. Default: 20. */
  readonly maxIdle?: number
  /** The longest delay between two attempts, in milliseconds. Default: 30 s. */
  readonly maxDelay?: number
  /** After how many milliseconds people see that an attempt takes long. Default: 30 s. */
  readonly slowAfter?: number
  /** How long the repository may send nothing before an attempt fails. Default: 5 minutes. */
  readonly stallSeconds?: number
}

interface Active {
  readonly life: CheckoutLife
  readonly checkout: TreeCheckout
  /** Ends `prepare` or `finish`, while it runs. */
  waiting: AbortController | undefined
  /** The last attempt has failed. */
  isFailing: boolean
  isReady: boolean
  /** The last attempt to store the files has failed. */
  isUnsaved: boolean
}

const firstDelay = 500
/** After so many failures, people see what they can do. */
const manyFailures = 5
/** How long a push may still take after a cancel. */
const cancelGrace = 10_000
const cancelledFinishTimeout = 2 * 60_000

export function openCheckouts(options: CheckoutsOptions): Checkouts {
  const { home, worker, report, maxIdle = 20, maxDelay = 30_000, slowAfter = 30_000 } = options
  findGit()
  const workspaces = realpathSync(home.folder('workspaces'))
  makeFolder(checkoutsIn(home), () => 0o700)
  const folder = path.join(realpathSync(checkoutsIn(home)), worker)
  const trees = path.join(folder, '.trees')
  makeFolder(trees, () => 0o700)
  const repository = openCheckoutRepository(options.repository, options)
  const paths = createCheckoutPaths({ checkouts: folder, workspaces })
  const cache = createRepositoryCache(path.join(folder, '.repository.git'), repository)
  const active = new Map<string, Active>()
  const pending = new Map<string, Promise<unknown>>()

  const placeOf = (root: string) => path.posix.join('workspaces', '.checkouts', worker, root)
  const checkoutOf = (root: string): TreeCheckout =>
    new TreeCheckout({
      ...{ root, home, paths, repository, cache },
      folder: path.join(folder, root),
      gitDir: path.join(trees, `${root}.git`),
    })
  /** One git command at a time in each checkout. An earlier life in this process may still use it. */
  const inOrder = <T>(root: string, work: () => Promise<T>): Promise<T> => {
    const mine = (pending.get(root) ?? Promise.resolve()).then(work)
    const settled = mine.catch(() => {})
    pending.set(root, settled)
    void settled.then(() => pending.get(root) === settled && pending.delete(root))
    return mine
  }
  /** Repeats work until it succeeds, the tree is lost or `signal` aborts. */
  const untilDone = async <T>(
    one: Active,
    signal: AbortSignal | undefined,
    work: (stop: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const { life } = one
    const stop = signal === undefined ? life.lost : AbortSignal.any([life.lost, signal])
    for (let delay = firstDelay, failures = 0; ; delay = Math.min(maxDelay, delay * 2), failures++) {
      const slow = setTimeout(() => {
        const seconds = Math.round(slowAfter / 1000)
        life.notify(
          `${life.root} is waiting for ${repository.shown}, which has not answered for more than ${seconds} seconds.`,
        )
      }, slowAfter)
      try {
        stop.throwIfAborted()
        const result = await work(stop)
        one.isFailing = false
        life.notify()
        if (failures > 0) report(`${life.root} continues: ${repository.shown} answers again.`)
        return result
      } catch (error) {
        if (stop.aborted || (error instanceof CadreError && error.code === 'owned')) throw error
        one.isFailing = true
        const reason = messageOf(error).replace(/[.\s]+$/, '')
        const isLong = failures + 1 >= manyFailures
        const message = `${life.root} waits: ${reason}. ${isLong ? advice(life.root) : 'Cadre retries.'}`
        if (failures === 0 || failures + 1 === manyFailures) report(message)
        life.notify(message)
        clearTimeout(slow)
        await pause(delay, undefined, { signal: stop }).catch(() => {})
      } finally {
        clearTimeout(slow)
      }
    }
  }
  /** Not every failure ends without a person. */
  const advice = (root: string) =>
    `Cadre has tried ${manyFailures} times and will keep trying. Correct the cause, or run "cadre sessions cancel ${root}". Changes that are not stored yet stay in ${placeOf(root)} in the home of this worker.`
  const loss = (one: Active): CadreError => {
    one.life.giveUp()
    // Nobody can continue with these files.
    one.checkout.setUnstored(false)
    return new CadreError('owned', `another worker has taken over the files of ${one.life.root}.`)
  }
  const require = (root: string): Active => {
    const one = active.get(root)
    if (one === undefined) throw new CadreError('owned', `${root} does not run on this worker.`)
    return one
  }

  const isIdle = (root: string) => !active.has(root) && !checkoutOf(root).isUnstored

  /** Removes the oldest checkouts of trees that do not run here and have only stored files. */
  const prune = async (): Promise<void> => {
    const idle = readdirSync(trees)
      .flatMap((name) => (name.endsWith('.git') ? [name.slice(0, -'.git'.length)] : []))
      .filter((root) => isIdle(root))
      .map((root) => ({ root, age: ageOf(path.join(trees, `${root}.git`, 'cadre.json')) }))
      .toSorted((a, b) => a.age - b.age)
    // A tree that begins meanwhile waits for the end of the removal.
    for (const { root } of idle.slice(0, Math.max(0, idle.length - maxIdle)))
      if (isIdle(root) && !pending.has(root))
        await inOrder(root, async () => {
          if (isIdle(root)) await checkoutOf(root).remove()
        })
  }

  return {
    paths,
    repository: repository.shown,
    placeOf,
    begin(life) {
      const { root } = life
      if (!isSessionName(root)) return
      const one: Active = {
        ...{ life, checkout: checkoutOf(root), waiting: undefined },
        ...{ isFailing: false, isReady: false, isUnsaved: false },
      }
      active.set(root, one)
      life.lost.addEventListener(
        'abort',
        () => {
          if (active.get(root) === one) active.delete(root)
        },
        { once: true },
      )
    },
    async prepare(root, signal) {
      const one = require(root)
      if (one.isReady) return one.checkout.folder
      const waiting = new AbortController()
      one.waiting = waiting
      try {
        await inOrder(root, () =>
          untilDone(one, AbortSignal.any([signal, waiting.signal]), async (stop) => {
            // Another worker moved the ref: it or this one has lost the tree.
            while (!(await one.checkout.takeOver(stop))) await one.life.confirm()
            one.checkout.setUnstored(true)
          }),
        )
        one.isReady = true
        return one.checkout.folder
      } finally {
        one.waiting = undefined
      }
    },
    stopWaiting(root) {
      const one = active.get(root)
      const waiting = one?.waiting
      if (one === undefined || waiting === undefined) return false
      const reason = one.isReady
        ? `${root} was cancelled before its last changes were stored.`
        : `${root} was cancelled before its checkout was ready.`
      const stop = () => waiting.abort(new CadreError('cancelled', reason))
      if (one.isReady && !one.isFailing) setTimeout(stop, cancelGrace).unref()
      else stop()
      return true
    },
    async store(root, signal) {
      const one = active.get(root)
      if (one?.isReady !== true) return
      await inOrder(root, async () => {
        one.isUnsaved = true
        const isOurs = await untilDone(one, signal, (stop) => one.checkout.store(stop))
        if (!isOurs) throw loss(one)
        one.isUnsaved = false
      })
    },
    async finish(root, author, { waits }) {
      const one = require(root)
      // A tree that was started without a checkout.
      if (!one.isReady) return undefined
      return inOrder(root, async () => {
        const waiting = new AbortController()
        const work = (stop: AbortSignal) => one.checkout.finish(author, stop)
        const once = () =>
          work(AbortSignal.any([one.life.lost, waiting.signal, AbortSignal.timeout(cancelledFinishTimeout)]))
        one.isUnsaved = true
        one.waiting = waiting
        try {
          const result = await (waits ? untilDone(one, waiting.signal, work) : once())
          if (result === 'lost') throw loss(one)
          one.isUnsaved = false
          return result
        } catch (error) {
          if (error instanceof CadreError && error.code === 'owned') throw error
          one.life.lost.throwIfAborted()
          throw waiting.signal.aborted ? waiting.signal.reason : error
        } finally {
          one.waiting = undefined
        }
      })
    },
    async leave(root, hasEnded) {
      const one = active.get(root)
      if (one === undefined) return
      await inOrder(root, async () => {
        if (active.get(root) === one) active.delete(root)
        if (!one.isReady || one.isUnsaved) return
        if (hasEnded) await one.checkout.remove()
        else if (await one.checkout.hasOnlyStored()) one.checkout.setUnstored(false)
      })
        .then(prune)
        .catch((error: unknown) => report(`cannot remove the checkout of ${root}: ${messageOf(error)}`))
    },
  }
}

function ageOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
