/**
 * The checkout of one tree on one worker. The caller ensures that only one of its methods runs at a time.
 *
 * 1. The files of the tree, as of its last stored call, are at the repository (`TreeRef`).
 * 2. A worker that takes the tree over first moves this ref, so that no earlier worker can store anything.
 * 3. Cadre's commands never use what agents can change in the checkout (`CheckoutGit`).
 * 4. Files that are newer than the last stored call are kept if the ref is still at a commit of this checkout.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { ownerOnly, treeOf, tryGit } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { CheckoutFiles } from './checkout-files.ts'
import { CheckoutGit } from './checkout-git.ts'
import type { CheckoutPaths } from './checkout-paths.ts'
import type { CheckoutRepository, RemoteRefs } from './checkout-repository.ts'
import { freeBranches } from './free-branches.ts'
import { recordsInNote } from './records-in-note.ts'
import type { RepositoryCache } from './repository-cache.ts'
import { refNameOf, type SnapshotNote } from './snapshot-note.ts'
import { type Stored, TreeRef } from './tree-ref.ts'

export interface TreeCheckoutOptions {
  readonly root: string
  readonly home: Home
  readonly paths: CheckoutPaths
  readonly repository: CheckoutRepository
  /** The folder of the checkout. */
  readonly folder: string
  /** Cadre's own repository for this checkout. */
  readonly gitDir: string
  /** A local copy of the repository's default branch, which all checkouts share. */
  readonly cache: RepositoryCache
}

export interface CheckoutResult {
  readonly branch: string
  /** Branches with changes of isolated sessions that were not merged. */
  readonly unmerged: readonly string[]
}

export class TreeCheckout {
  readonly folder: string
  readonly #options: TreeCheckoutOptions
  readonly #git: CheckoutGit
  readonly #ref: TreeRef
  readonly #files: CheckoutFiles

  constructor(options: TreeCheckoutOptions) {
    const { root, home, paths, repository, folder, gitDir, cache } = options
    this.#options = options
    this.folder = folder
    this.#git = new CheckoutGit({ folder, gitDir, cacheDir: cache.gitDir })
    this.#ref = new TreeRef({ root, repository, git: this.#git })
    const origin = repository.shown.replace(/\*\*\*@/, '')
    this.#files = new CheckoutFiles({ home, paths, git: this.#git, origin })
  }

  /** Brings the checkout to the state at the repository, and takes the tree over. Returns false if another worker did so meanwhile. */
  async takeOver(signal: AbortSignal): Promise<boolean> {
    const { repository, cache, root } = this.#options
    const remote = await repository.list([this.#ref.name], signal)
    const tip = remote.refs.get(this.#ref.name)
    const start = remote.refs.get('HEAD')
    if (start === undefined)
      throw new CadreError(
        'configuration',
        `${repository.shown} has no commit on its default branch. Push one.`,
      )
    await cache.update(remote, signal)
    const isKept = tip !== undefined && existsSync(this.folder) && this.#ref.hasPushed(tip)
    if (!isKept) {
      await this.remove()
      await this.#git.initialise(start)
    }
    this.#files.unlock()
    const headRef = `refs/heads/cadre/${refNameOf(root)}`
    const before =
      tip === undefined
        ? { commit: start, note: { start, head: start, headRef, workspaces: [] } }
        : await this.#ref.fetch(tip, signal)
    if (!isKept) await this.#checkOut(before, remote, signal)
    const tree = await treeOf(before.commit, this.#git.bare(signal))
    const subject = tip === undefined ? `Start of session ${root}` : `A worker continues session ${root}`
    const snapshot = { tree, note: before.note, subject, parent: before.commit, expected: tip }
    return this.#ref.push(snapshot, [], signal)
  }

  /** Its files may have changes that the repository does not have. Known after a restart too. */
  get isUnstored(): boolean {
    return existsSync(this.#unstoredFile)
  }

  setUnstored(isUnstored: boolean): void {
    if (isUnstored) writeFileSync(this.#unstoredFile, '', { mode: ownerOnly })
    else rmSync(this.#unstoredFile, { force: true })
  }

  async hasOnlyStored(signal?: AbortSignal): Promise<boolean> {
    const { stored } = this.#ref
    return isSame(await this.#files.look(stored.note, signal), stored)
  }

  /** Stores the files at the repository if they have changed. Returns false if another worker has taken the tree over. */
  async store(signal?: AbortSignal): Promise<boolean> {
    const stored = await this.#ref.settle(signal)
    const now = await this.#files.look(stored.note, signal)
    if (isSame(now, stored)) return true
    const subject = `Files of session ${this.#options.root}`
    return this.#ref.push({ ...now, subject, parent: stored.commit, expected: stored.commit }, [], signal)
  }

  /**
   * Stores the files, and puts the changes since the start on a branch. The commits of agents stay as they are; other changes become
   * one more commit. Returns `lost` if another worker has taken the tree over, and `undefined` if nothing has changed.
   */
  async finish(author: string, signal?: AbortSignal): Promise<CheckoutResult | 'lost' | undefined> {
    const { root, repository } = this.#options
    const stored = await this.#ref.settle(signal)
    const { tree, note } = await this.#files.look(stored.note, signal)
    const commit = await this.#resultOf({ tree, note, stored, author }, signal)
    const unmerged = note.workspaces.filter(({ start, tip, merged }) => tip !== start && tip !== merged)
    if (commit === note.start && unmerged.length === 0) return (await this.store(signal)) ? undefined : 'lost'
    const branches = freeBranches(
      [
        ...(commit === note.start
          ? []
          : [{ name: `cadre/${refNameOf(root)}`, commit, known: stored.note.result }]),
        ...unmerged.map(({ session, tip }) => ({ name: `cadre/${refNameOf(session)}`, commit: tip })),
      ],
      await repository.list(['refs/heads/cadre', 'refs/heads/cadre*', 'refs/heads/cadre/*'], signal),
    )
    const own = commit === note.start ? undefined : branches[0]
    const next: SnapshotNote = {
      ...note,
      head: commit,
      ...(own && { result: { branch: own.branch, commit } }),
    }
    const updates = branches.flatMap(({ update }) => update ?? [])
    if (updates.length > 0 || !isSame({ tree, note: next }, stored)) {
      const subject = `Result of session ${root}`
      const snapshot = { tree, note: next, subject, parent: stored.commit, expected: stored.commit }
      if (!(await this.#ref.push(snapshot, updates, signal))) return 'lost'
    }
    const others = branches.slice(own === undefined ? 0 : 1).map(({ branch }) => branch)
    return { branch: own?.branch ?? '', unmerged: others }
  }

  /** Removes the checkout and the workspaces of isolated sessions of the tree. The repository keeps everything that was stored. */
  async remove(): Promise<void> {
    await this.#files.remove()
    this.#ref.forget()
  }

  /** The last commit of the result: the start if nothing has changed. */
  async #resultOf(
    now: Omit<Stored, 'commit'> & { readonly stored: Stored; readonly author: string },
    signal?: AbortSignal,
  ): Promise<string> {
    const { tree, note, stored, author } = now
    const at = this.#git.bare(signal)
    const isAncestor = async (one: string, other: string) =>
      (await tryGit(['merge-base', '--is-ancestor', one, other], at)).code === 0
    const earlier = stored.note.result?.commit
    // A session that continues after its end adds to its branch.
    const isBehind = earlier !== undefined && (await isAncestor(note.head, earlier))
    const head = isBehind ? earlier : note.head
    const parent = (await isAncestor(note.start, head)) ? head : note.start
    const before = await treeOf(parent, at)
    if (before === tree) return parent
    const after = await this.#files.committedTree(tree, parent, signal)
    const message = `Changes by ${author}\n\nSession: ${this.#options.root}\n`
    return before === after ? parent : this.#git.commit(after, [parent], message, signal)
  }

  async #checkOut(
    { commit, note }: Omit<Stored, 'tree'>,
    remote: RemoteRefs,
    signal: AbortSignal,
  ): Promise<void> {
    const records = recordsInNote(note, this.#options)
    if (records === undefined)
      throw new CadreError(
        'corrupt',
        `${this.#ref.name} of ${this.#options.repository.shown} names workspaces of other sessions. Restore the ref, or cancel the session.`,
      )
    await this.#files.write({ commit, note, records, remote }, signal)
  }

  get #unstoredFile(): string {
    return path.join(this.#options.gitDir, 'unstored')
  }
}

function isSame(one: Omit<Stored, 'commit'>, other: Stored): boolean {
  return one.tree === other.tree && JSON.stringify(one.note) === JSON.stringify(other.note)
}
