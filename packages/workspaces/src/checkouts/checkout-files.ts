/** The files of a checkout, with the repository that agents use in it and the workspaces of isolated sessions. */
import { copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { commitOf, type GitRequest, git, stagePaths, takeSnapshot, treeOf, tryGit } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { removeWorkspace } from '../remove-workspace.ts'
import { listRecords, type WorkspaceRecord, writeRecord } from '../workspace-record.ts'
import type { CheckoutGit } from './checkout-git.ts'
import type { CheckoutPaths } from './checkout-paths.ts'
import type { RemoteRefs } from './checkout-repository.ts'
import { formatOf } from './format-of.ts'
import { isBranchRef, type SnapshotNote, type SnapshotWorkspace } from './snapshot-note.ts'

export interface CheckoutFilesOptions {
  readonly home: Home
  readonly paths: CheckoutPaths
  readonly git: CheckoutGit
  /** The address of the repository without credentials, for agents. */
  readonly origin: string
}

/** What a checkout is made of. */
export interface CheckoutContent {
  readonly commit: string
  readonly note: SnapshotNote
  /** The workspaces in the note. */
  readonly records: readonly WorkspaceRecord[]
  readonly remote: RemoteRefs
}

const checkoutTimeoutMs = 30 * 60_000

export class CheckoutFiles {
  readonly #options: CheckoutFilesOptions

  constructor(options: CheckoutFilesOptions) {
    this.#options = options
  }

  /** Creates the checkout, all of it or nothing. */
  async write({ commit, note, records, remote }: CheckoutContent, signal: AbortSignal): Promise<void> {
    const { home, origin, git: own } = this.#options
    const draft = `${own.gitDir}.new`
    rmSync(draft, { recursive: true, force: true })
    await git(['init', '-q', ...formatOf(commit), '--', draft], { cwd: path.dirname(own.gitDir) })
    const at: GitRequest = {
      cwd: draft,
      gitDir: path.join(draft, '.git'),
      signal,
      timeoutMs: checkoutTimeoutMs,
    }
    writeFileSync(path.join(draft, '.git', 'objects', 'info', 'alternates'), own.alternates)
    const { head, headRef } = note
    if (headRef !== null) await git(['symbolic-ref', 'HEAD', headRef], at)
    await git(['update-ref', ...(headRef === null ? ['--no-deref'] : []), 'HEAD', head], at)
    await git(['config', 'remote.origin.url', origin], at)
    await git(['config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'], at)
    const { defaultBranch = '' } = remote
    const known = remote.refs.get('HEAD')
    if (defaultBranch.startsWith('refs/heads/') && known !== undefined)
      await git(['update-ref', `refs/remotes/origin/${defaultBranch.slice(11)}`, known], at)
    rmSync(own.index, { force: true })
    await git(['read-tree', '--reset', '-u', commit], this.#in(draft, signal))
    if ((await treeOf(head, at)) === (await treeOf(commit, at)))
      copyFileSync(own.index, path.join(draft, '.git', 'index'))
    else await git(['read-tree', head], at)
    for (const { branch, tip } of note.workspaces) await git(['update-ref', `refs/heads/${branch}`, tip], at)
    renameSync(draft, own.folder)
    // Their folders are restored from the commits when the sessions continue.
    for (const record of records) writeRecord(home, record)
  }

  /** The current files, and what belongs to them. `before`: the note of the last stored call. */
  async look(
    before: SnapshotNote,
    signal?: AbortSignal,
  ): Promise<{ readonly tree: string; readonly note: SnapshotNote }> {
    const { home, paths, git: checkout } = this.#options
    this.unlock()
    const taken = await takeSnapshot({ ...this.#in(checkout.folder, signal), without: home.path })
    if (taken.kind !== 'taken') throw new Error(`unreachable: ${taken.reason}`)
    const { start, result } = before
    const head = await this.#head(before, signal)
    const workspaces: SnapshotWorkspace[] = []
    for (const record of this.#records()) {
      const stored = before.workspaces.find(({ session }) => session === record.session)
      const now = paths.toRecorded(noteOf(record))
      const isWhole = await checkout.adopt(record.tip, [start, head.head, ...tipsOf(before)], signal)
      // An agent may have removed its commits. Then the last stored ones remain.
      const kept = isWhole ? now : stored
      if (kept !== undefined) workspaces.push(kept)
    }
    return { tree: taken.tree, note: { start, ...head, workspaces, ...(result && { result }) } }
  }

  /** The tree of the files as git would commit them, with line ends as `.gitattributes` demands. `parent`: the commit below. */
  async committedTree(tree: string, parent: string, signal?: AbortSignal): Promise<string> {
    const { git: own } = this.#options
    const changed = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', `${parent}^{tree}`, tree]
    const names = (await git(changed, own.bare(signal))).split('\0').filter((name) => name !== '')
    const { folder } = own
    const index = `${own.index}.result`
    rmSync(index, { force: true })
    const at = { ...own.converting(signal), workTree: folder, index, timeoutMs: checkoutTimeoutMs }
    await git(['read-tree', parent], at)
    await stagePaths(names, at)
    return (await git(['write-tree'], at)).trim()
  }

  /** The commit and the branch that are checked out. If agents have destroyed or damaged them, the last stored ones remain. */
  async #head(before: SnapshotNote, signal?: AbortSignal): Promise<Pick<SnapshotNote, 'head' | 'headRef'>> {
    const { git: checkout } = this.#options
    const { head: last, headRef, start } = before
    const own = checkout.own()
    const at = { cwd: checkout.folder, gitDir: own, signal }
    const head = own === undefined ? undefined : await commitOf('HEAD', at)
    if (head === undefined || !(await checkout.adopt(head, [start, last], signal)))
      return { head: last, headRef }
    const branch = await tryGit(['symbolic-ref', '-q', 'HEAD'], at)
    const name = branch.stdout.trim()
    return { head, headRef: branch.code === 0 && isBranchRef(name) ? name : null }
  }

  /** Removes the lock of the index, which a command that was stopped or killed may have left. */
  unlock(): void {
    rmSync(`${this.#options.git.index}.lock`, { force: true })
  }

  /** Removes the checkout, Cadre's own repository for it, and the workspaces of isolated sessions. */
  async remove(): Promise<void> {
    const { home, git: own } = this.#options
    for (const record of this.#records()) await removeWorkspace(home, record)
    rmSync(own.folder, { recursive: true, force: true, maxRetries: 3 })
    rmSync(own.gitDir, { recursive: true, force: true, maxRetries: 3 })
  }

  /** Cadre's git on the files of a folder. */
  #in(
    workTree: string,
    signal?: AbortSignal,
  ): GitRequest & { readonly workTree: string; readonly index: string } {
    const { git: own } = this.#options
    return { ...own.bare(signal), workTree, index: own.index, timeoutMs: checkoutTimeoutMs }
  }

  /** The workspaces of isolated sessions that this worker has. */
  #records(): readonly WorkspaceRecord[] {
    const commonDir = path.join(this.#options.git.folder, '.git')
    return listRecords(this.#options.home).filter(
      (record) => record.kind === 'worktree' && record.state === 'ready' && record.commonDir === commonDir,
    )
  }
}

function noteOf(record: WorkspaceRecord): SnapshotWorkspace {
  const { session, agent, path: place, base = '', target = '', branch, start, tip, merged, created } = record
  return {
    ...{ session, agent, path: place, base, target, branch, start, tip },
    ...(merged !== undefined && { merged }),
    created,
  }
}

const tipsOf = ({ workspaces }: SnapshotNote) => workspaces.map(({ tip }) => tip)
