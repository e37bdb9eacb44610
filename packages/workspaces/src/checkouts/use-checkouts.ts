import { realpathSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import {
  CadreError,
  type Engine,
  type LifecycleHandler,
  messageOf,
  type Orchestrator,
  type Run,
  type RunResult,
  type Workspaces,
} from '@cadre/core'
import { isInside, realPathIfExists } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { makeHomeWorkspace } from '../make-home-workspace.ts'
import {
  type CheckoutPaths,
  folderInCheckout,
  isRecordedCheckout,
  recordedCheckout,
} from './checkout-paths.ts'
import type { Checkouts } from './open-checkouts.ts'
import type { CheckoutResult } from './tree-checkout.ts'

/** Records are written and read with paths that are the same on every worker. */
export function withCheckoutPaths(engine: Engine, { toLocal, toRecorded }: CheckoutPaths): Engine {
  const charged = engine.charged?.bind(engine)
  return {
    attach: (runner) => engine.attach(runner),
    open: async (spec) => runWithPaths(await engine.open(toRecorded(spec)), { toLocal, toRecorded }),
    read: async (id) => toLocal(await engine.read(id)),
    ...(charged && { charged }),
  }
}

function runWithPaths(run: Run, { toLocal, toRecorded }: CheckoutPaths): Run {
  return {
    recorded: toLocal(run.recorded),
    lost: run.lost,
    get alone() {
      return run.alone
    },
    step: async (name, work, options) =>
      toLocal(await run.step(name, async () => toRecorded(await work()), options)),
    spawn: (spec) => run.spawn(spec),
    waitFor: async (question, signal) => toLocal(await run.waitFor(toRecorded(question), signal)),
    changes: () => toLocal(run.changes()),
    end: (end) => run.end(end),
  }
}

/** Stores the files after each call that may have changed them, before its result is recorded. Never rejects. */
export function createCheckoutsHandler(checkouts: Checkouts): LifecycleHandler {
  return async (moment, { root }, signal) => {
    if (moment.kind !== 'call.settled') return undefined
    const { effect, kind } = moment.call.tool
    // The changes of an isolated session are merged when it ends.
    if (effect === 'read' && kind !== 'delegate') return undefined
    try {
      await checkouts.store(root, signal)
      return undefined
    } catch (error) {
      // A lost tree records nothing more. In a stopped one, the end of the tree stores the files.
      const message = `the changes of this call are not stored at ${checkouts.repository} yet: ${messageOf(error)}`
      return { notices: [{ code: 'workspace', message }] }
    }
  }
}

/** Reports the branch with the result when an entry session ends. */
export function withCheckoutResults(workspaces: Workspaces, checkouts: Checkouts): Workspaces {
  const { repository } = checkouts
  return {
    prepare: (request, signal) => workspaces.prepare(request, signal),
    async settle(session, status) {
      const settled = await workspaces.settle(session, status)
      const { root, agent } = session
      if (session.parent !== undefined) {
        // Merged changes must not depend on this worker once the end of the session is recorded.
        await checkouts.store(root)
        return settled
      }
      let result: CheckoutResult | undefined
      try {
        result = await checkouts.finish(root, agent.name, { waits: status !== 'cancelled' })
      } catch (error) {
        const isCancelled = error instanceof CadreError && error.code === 'cancelled'
        if (status !== 'cancelled' && !isCancelled) throw error
        return {
          ...(status !== 'cancelled' && { isMissing: true }),
          message: `The last changes are only in ${checkouts.placeOf(root)} in the worker's home on ${hostname()}: ${messageOf(error)}`,
        }
      }
      if (result === undefined) return settled
      const { branch, unmerged } = result
      const messages = [
        ...(branch === ''
          ? []
          : [
              `The changes are on branch ${branch} of ${repository}. Fetch them with: git fetch origin ${branch}`,
            ]),
        ...(unmerged.length === 0
          ? []
          : [`Changes of isolated sessions that were not merged are on: ${unmerged.join(', ')}.`]),
      ]
      return { ...settled, message: messages.join(' ') }
    },
  }
}

/** Runs each tree in its own checkout. `engine` is the one of the worker, which returns records as they are. */
export function withCheckouts(
  orchestrator: Orchestrator,
  checkouts: Checkouts,
  engine: Engine,
): Orchestrator {
  const { toLocal, toRecorded } = checkouts.paths
  const rootOf = async (session: string) => (await engine.read(session))?.spec
  const inCheckout = async (
    root: string,
    workspaces: readonly string[],
    signal: AbortSignal,
    run: () => Promise<RunResult>,
  ): Promise<RunResult> => {
    let hasEnded = false
    try {
      // Before anything is fetched, and again with the files.
      const folders = workspaces.map((workspace) => requireFolder(root, workspace))
      const checkout = await checkouts.prepare(root, signal)
      for (const below of folders) requireInside(checkout, below, checkouts.repository)
      const result = await run()
      hasEnded = result.kind === 'report'
      // Programs in the background may have written after the last call. The end of a tree stores everything.
      if (!hasEnded) await checkouts.store(root, signal)
      return toRecorded(result)
    } finally {
      await checkouts.leave(root, hasEnded)
    }
  }
  return {
    ...orchestrator,
    async start(request, signal) {
      const { id = '', workspace, isolation } = request
      if (!isRecordedCheckout(workspace))
        throw new CadreError(
          'configuration',
          `this worker has engine.workspace: checkout, but the daemon started ${id} in ${workspace}. Set engine.workspace to the same value in config.yaml on both, and restart them.`,
        )
      const folders = isolation?.kind === 'own' ? [workspace, isolation.base] : [workspace]
      return inCheckout(id, folders, signal, () => orchestrator.start(toLocal(request), signal))
    },
    async resume(id, options, signal) {
      const spec = await rootOf(id)
      const resume = () => orchestrator.resume(id, toLocal(options), signal)
      // It was started before the setting was changed.
      const root = spec === undefined || spec.root === id ? spec : await rootOf(spec.root)
      if (root === undefined || !isRecordedCheckout(sharedFolderOf(root))) return resume()
      return inCheckout(root.id, [sharedFolderOf(root)], signal, resume)
    },
    tell: (session, work) => orchestrator.tell(session, toLocal(work)),
    cancel(session, options) {
      const isCancelled = orchestrator.cancel(session, options)
      // If the tree was not running yet, the order to cancel is delivered again when it has stopped.
      checkouts.stopWaiting(session)
      return isCancelled
    },
  }
}

/** Everyone who can reach the server can send an order, so its workspace may be any text. */
function requireFolder(root: string, workspace: string): string {
  const below = folderInCheckout(root, workspace)
  if (below !== undefined) return below
  throw new CadreError(
    'configuration',
    `${root} cannot work in ${workspace}, because it is not a folder in its checkout, ${recordedCheckout(root)}.`,
  )
}

/**
 * Everyone who can push to the repository, and the agents themselves, can put a link there. A session may read and write in its workspace
 * without a question, so it must be in the checkout, and not belong to git's own files.
 */
function requireInside(folder: string, below: string, repository: string): void {
  const place = realPathIfExists(path.join(folder, below))
  if (place === undefined || !statSync(place).isDirectory())
    throw new CadreError('configuration', `${repository} has no folder ${below}.`)
  const top = realpathSync.native(folder)
  const names = path.relative(top, place).toLowerCase().split(path.sep)
  if (isInside(top, place) && !names.includes('.git')) return
  throw new CadreError(
    'configuration',
    `a session cannot work in ${below || 'its checkout'}, because a link there points outside the checkout of ${repository}, or because it belongs to .git. Replace the link with a folder.`,
  )
}

function sharedFolderOf({
  workspace,
  isolation,
}: {
  workspace: string
  isolation?: { kind: string; base?: string }
}): string {
  return isolation?.kind === 'own' ? (isolation.base ?? workspace) : workspace
}

/** Rejects trees that need a checkout, in a process that has none. Makes the folders in `workspaces/` in which trees are to work. */
export function withoutCheckouts(orchestrator: Orchestrator, home: Home): Orchestrator {
  return {
    ...orchestrator,
    async start(request, signal) {
      if (!isRecordedCheckout(request.workspace)) {
        makeHomeWorkspace(home, request)
        return orchestrator.start(request, signal)
      }
      throw new CadreError(
        'configuration',
        `the daemon has engine.workspace: checkout, but this worker does not. Set it in config.yaml on both, and restart them.`,
      )
    },
  }
}
