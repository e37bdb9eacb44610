/** The files of a checkout, with the repository that agents use in it and the workspaces of isolated sessions. */
import { copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { commitOf, type GitRequest, git, takeSnapshot, treeOf, tryGit } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { removeWorkspace } from '../remove-workspace.ts'
import { listRecords, type WorkspaceRecord, writeRecord } from '../workspace-record.ts'
import type { CheckoutGit } from './checkout-git.ts'
import type { CheckoutPaths } from './checkout-paths.ts'
import type { RemoteRefs } from './checkout-repository.ts'
import { formatOf } from './format-of.ts'
import type { SnapshotNote } from './snapshot-note.ts'

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
    await git(['update-ref', 'HEAD', head], at)
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
    const own = checkout.own()
    const at = { cwd: checkout.folder, gitDir: own, signal }
    const head = own === undefined ? undefined : await commitOf('HEAD', at)
    const branch = own === undefined ? undefined : await tryGit(['symbolic-ref', '-q', 'HEAD'], at)
    const workspaces = this.#records().map(
      ({ session, agent, path: place, base, target, branch: name, start, tip, merged, created }) => ({
        ...{ session, agent, path: place, base: base ?? '', target: target ?? '', branch: name, start, tip },
        ...(merged !== undefined && { merged }),
        created,
      }),
    )
    const { start, result } = before
    // An agent may have destroyed the repository in its checkout.
    const isUsable = head !== undefined && (await commitOf(head, checkout.bare(signal))) !== undefined
    return {
      tree: taken.tree,
      note: {
        start,
        ...(isUsable
          ? { head, headRef: branch?.code === 0 ? branch.stdout.trim() : null }
          : { head: before.head, headRef: before.headRef }),
        workspaces: paths.toRecorded(workspaces),
        ...(result && { result }),
      },
    }
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

  #records(): readonly WorkspaceRecord[] {
    const commonDir = path.join(this.#options.git.folder, '.git')
    return listRecords(this.#options.home).filter(
      (record) => record.kind === 'worktree' && record.state === 'ready' && record.commonDir === commonDir,
    )
  }
}
