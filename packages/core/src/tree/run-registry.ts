import { CadreError } from '../ports/errors.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import type { SessionUpdates } from '../session/open-session.ts'
import type { Tree, TreeNode } from './tree.ts'

/** One run of a tree, from its claim to its end. */
export interface OwnedRun {
  /** The session that was started or resumed: the root, or a child of a finished run. */
  session: string
  /** True if the session continues although it has ended. */
  continues?: boolean
  /** New work for the session, until the session takes it. */
  updates?: SessionUpdates | undefined
}

/**
 * Owns which trees of sessions run in this process. Called by the orchestrator only.
 *
 * 1. A tree has at most one run. A second one is refused with `owned`, as from another process, and changes nothing.
 * 2. The state of a run (limits, budget, stop signals, new work) exists from its claim to its end. Only the end of that run removes it.
 */
export class RunRegistry {
  readonly #createTree: (spec: SessionSpec) => Tree
  readonly #runs = new Map<string, OwnedRun>()
  /** Includes roots without a run here: an engine may run a child whose parent runs elsewhere. */
  readonly #trees = new Map<string, Tree>()

  constructor(createTree: (spec: SessionSpec) => Tree) {
    this.#createTree = createTree
  }

  /** Owns the tree while `work` runs. */
  async own<T>(root: string, work: (run: OwnedRun) => Promise<T>): Promise<T> {
    if (this.#runs.has(root)) {
      throw new CadreError(
        'owned',
        `session ${root} is already running in this process. Cancel it, send it a message with orchestrator.tell(), or wait for it to finish.`,
      )
    }
    const run: OwnedRun = { session: root }
    this.#runs.set(root, run)
    try {
      return await work(run)
    } finally {
      this.#runs.delete(root)
      this.forget(root)
    }
  }

  /** Returns whether the session continues although it has ended. */
  continues(spec: SessionSpec): boolean {
    return this.#runAt(spec)?.continues === true
  }

  /** Returns the new work for the session. It is returned once. */
  takeUpdates(spec: SessionSpec): SessionUpdates | undefined {
    const run = this.#runAt(spec)
    const updates = run?.updates
    if (run !== undefined) run.updates = undefined
    return updates
  }

  tree(spec: SessionSpec): Tree {
    const known = this.#trees.get(spec.root)
    // A lost tree stays lost until its run here is over.
    if (known !== undefined && (!known.isLost || this.#runs.has(spec.root))) return known
    const tree = this.#createTree(spec)
    this.#trees.set(spec.root, tree)
    return tree
  }

  /** The tree of a root, if any of its sessions runs here. */
  known(root: string): Tree | undefined {
    return this.#trees.get(root)
  }

  trees(): Iterable<Tree> {
    return this.#trees.values()
  }

  /** The node of a session that runs here. */
  find(session: string): TreeNode | undefined {
    for (const tree of this.#trees.values()) {
      const node = tree.node(session)
      if (node !== undefined) return node
    }
    return undefined
  }

  forget(root: string): void {
    this.#trees.get(root)?.close()
    this.#trees.delete(root)
  }

  /** The run that was started or resumed at this session. */
  #runAt({ id, root }: SessionSpec): OwnedRun | undefined {
    const run = this.#runs.get(root)
    return run?.session === id ? run : undefined
  }
}
