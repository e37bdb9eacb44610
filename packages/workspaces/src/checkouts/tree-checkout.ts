/**
 * The checkout of one tree on one worker, and the git commands on it. The caller ensures that only one runs at a time.
 *
 * 1. The files of the tree, as of its last stored call, are a commit of the repository: `refs/cadre/trees/<root>`. It also names the commit
 *    from which the tree started, and contains the agents' own commits.
 * 2. A worker that takes the tree over first moves this ref. Every push names the value that it expects. So a worker that has lost the tree
 *    without noticing can no longer store anything.
 * 3. Cadre's commands use its own repository (`gitDir`), never the settings or the index in the checkout, which agents can change.
 * 4. Files that are newer than the last stored call are kept if the ref is still at a commit of this checkout.
 */
import { randomUUID } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import {
  commitOf,
  type GitRequest,
  git,
  isObject,
  ownerOnly,
  takeSnapshot,
  treeOf,
  tryGit,
} from '@cadre/disk'
import type { Home } from '@cadre/home'
import { removeWorkspace } from '../remove-workspace.ts'
import { listRecords, type WorkspaceRecord, writeRecord } from '../workspace-record.ts'
import type { CheckoutPaths } from './checkout-paths.ts'
import type { CheckoutRepository, RefUpdate, RemoteRefs } from './checkout-repository.ts'
import { formatOf } from './format-of.ts'
import { recordsInNote } from './records-in-note.ts'
import { noteMessage, readNote, refNameOf, type SnapshotNote } from './snapshot-note.ts'

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

export interface RepositoryCache {
  readonly gitDir: string
  /** Fetches the default branch, unless the cache has its commit. */
  update(remote: RemoteRefs, signal?: AbortSignal): Promise<void>
}

/** A commit that the repository has under the ref of the tree. */
interface Stored {
  readonly commit: string
  readonly tree: string
  readonly note: SnapshotNote
}

export interface CheckoutResult {
  readonly branch: string
  /** Branches with changes of isolated sessions that were not merged. */
  readonly unmerged: readonly string[]
}

const checkoutTimeoutMs = 30 * 60_000

export class TreeCheckout {
  readonly folder: string
  readonly ref: string
  readonly #options: TreeCheckoutOptions
  #stored: Stored | undefined
  /** Commits of pushes that failed since then. The repository may have one of them, because an answer can be lost. */
  readonly #attempts = new Map<string, Stored>()

  constructor(options: TreeCheckoutOptions) {
    this.#options = options
    this.folder = options.folder
    this.ref = `refs/cadre/trees/${refNameOf(options.root)}`
  }

  /** Brings the checkout to the state at the repository, and takes the tree over. Returns false if another worker did so meanwhile. */
  async takeOver(signal: AbortSignal): Promise<boolean> {
    const { repository, cache, root } = this.#options
    const remote = await repository.list([this.ref], signal)
    const tip = remote.refs.get(this.ref)
    const start = remote.refs.get('HEAD')
    if (start === undefined)
      throw new CadreError(
        'configuration',
        `${repository.shown} has no commit on its default branch. Push one.`,
      )
    await cache.update(remote, signal)
    const isKept = tip !== undefined && existsSync(this.folder) && this.#pushed().includes(tip)
    if (!isKept) {
      await this.remove()
      await this.#initialise(start)
    }
    // The process may have been killed while it wrote the index.
    rmSync(`${this.#index}.lock`, { force: true })
    const headRef = `refs/heads/cadre/${refNameOf(root)}`
    const before =
      tip === undefined
        ? { commit: start, note: { start, head: start, headRef, workspaces: [] } }
        : await this.#fetch(tip, signal)
    if (!isKept) await this.#checkOut(before, remote, signal)
    const tree = await treeOf(before.commit, this.#bare(signal))
    const subject = tip === undefined ? `Start of session ${root}` : `A worker continues session ${root}`
    return this.#push({ tree, note: before.note, subject, parent: before.commit, expected: tip }, [], signal)
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
    const stored = this.#require()
    const now = await this.#look(signal)
    return now.tree === stored.tree && JSON.stringify(now.note) === JSON.stringify(stored.note)
  }

  /** Stores the files at the repository if they have changed. Returns false if another worker has taken the tree over. */
  async store(signal?: AbortSignal): Promise<boolean> {
    const stored = await this.#settle(signal)
    const now = await this.#look(signal)
    if (now.tree === stored.tree && JSON.stringify(now.note) === JSON.stringify(stored.note)) return true
    const subject = `Files of session ${this.#options.root}`
    return this.#push({ ...now, subject, parent: stored.commit, expected: stored.commit }, [], signal)
  }

  /**
   * Stores the files, and puts the changes since the start on a branch. The commits of agents stay as they are; other changes become
   * one more commit. Returns `lost` if another worker has taken the tree over, and `undefined` if nothing has changed.
   */
  async finish(author: string, signal?: AbortSignal): Promise<CheckoutResult | 'lost' | undefined> {
    const { root, repository } = this.#options
    const stored = await this.#settle(signal)
    const at = this.#bare(signal)
    const { tree, note } = await this.#look(signal)
    const isAncestor = async (one: string, other: string) =>
      (await tryGit(['merge-base', '--is-ancestor', one, other], at)).code === 0
    const earlier = stored.note.result?.commit
    // A session that continues after its end adds to its branch.
    const isBehind = earlier !== undefined && (await isAncestor(note.head, earlier))
    const head = isBehind ? earlier : note.head
    const parent = (await isAncestor(note.start, head)) ? head : note.start
    const isCommitted = (await treeOf(parent, at)) === tree
    const message = `Changes by ${author}\n\nSession: ${root}\n`
    const commit = isCommitted ? parent : await this.#commit(tree, [parent], message, signal)
    const unmerged = note.workspaces.filter(({ start, tip, merged }) => tip !== start && tip !== merged)
    if (commit === note.start && unmerged.length === 0) return (await this.store(signal)) ? undefined : 'lost'
    const branches = await this.#freeBranches(
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
    const isDone = branches.every(({ update }) => update === undefined)
    const updates = branches.flatMap(({ update }) => update ?? [])
    if (!isDone || tree !== stored.tree || JSON.stringify(next) !== JSON.stringify(stored.note)) {
      const subject = `Result of session ${root}`
      const snapshot = { tree, note: next, subject, parent: stored.commit, expected: stored.commit }
      if (!(await this.#push(snapshot, updates, signal))) return 'lost'
    }
    const others = branches.slice(own === undefined ? 0 : 1).map(({ branch }) => branch)
    return { branch: own?.branch ?? '', unmerged: others }
  }

  /** Removes the checkout and the workspaces of isolated sessions of the tree. The repository keeps everything that was stored. */
  async remove(): Promise<void> {
    const { home, gitDir } = this.#options
    for (const record of this.#records()) await removeWorkspace(home, record)
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 })
    rmSync(gitDir, { recursive: true, force: true, maxRetries: 3 })
    this.#stored = undefined
  }

  get #unstoredFile(): string {
    return path.join(this.#options.gitDir, 'unstored')
  }

  get #index(): string {
    return path.join(this.#options.gitDir, 'index')
  }

  #require(): Stored {
    if (this.#stored === undefined) throw new Error(`unreachable: ${this.#options.root} was not taken over`)
    return this.#stored
  }

  /** Git in Cadre's own repository, without the files. */
  #bare(signal?: AbortSignal): GitRequest {
    const { gitDir } = this.#options
    const own = this.#ownGit()
    const read = own === undefined ? [] : [path.join(own, 'objects')]
    return { cwd: gitDir, gitDir, objects: { write: path.join(gitDir, 'objects'), read }, signal }
  }

  /** The repository in the checkout, unless an agent has changed it so that it reads another one. */
  #ownGit(): string | undefined {
    const own = path.join(this.folder, '.git')
    try {
      const isPlain = lstatSync(own).isDirectory() && lstatSync(path.join(own, 'objects')).isDirectory()
      const isShared = existsSync(path.join(own, 'commondir'))
      const alternates = readFileSync(path.join(own, 'objects', 'info', 'alternates'), 'utf8')
      return isPlain && !isShared && alternates === this.#alternates ? own : undefined
    } catch {
      return undefined
    }
  }

  get #alternates(): string {
    const { gitDir, cache } = this.#options
    return alternatesOf([gitDir, cache.gitDir])
  }

  async #initialise(start: string): Promise<void> {
    const { gitDir, cache } = this.#options
    mkdirSync(path.dirname(gitDir), { recursive: true })
    await git(['init', '-q', '--bare', ...formatOf(start), '--', gitDir], { cwd: path.dirname(gitDir) })
    writeFileSync(path.join(gitDir, 'objects', 'info', 'alternates'), alternatesOf([cache.gitDir]))
  }

  async #fetch(tip: string, signal: AbortSignal): Promise<Omit<Stored, 'tree'>> {
    const { repository } = this.#options
    const at = this.#bare(signal)
    const has = async (commit: string) => (await commitOf(commit, at)) !== undefined
    if (!(await has(tip))) await repository.fetch([this.ref], at)
    const text = (await has(tip)) ? await git(['cat-file', 'commit', tip], at) : ''
    const note = readNote(text.slice(text.indexOf('\n\n') + 2))
    const needed = note && [note.start, note.head, ...note.workspaces.map((one) => one.tip)]
    const isWhole = needed !== undefined && (await Promise.all(needed.map(has))).every(Boolean)
    if (note !== undefined && isWhole) return { commit: tip, note }
    throw new CadreError(
      'corrupt',
      `${this.ref} of ${repository.shown} does not contain what Cadre stored there. Restore the ref, or cancel the session.`,
    )
  }

  async #checkOut(
    { commit, note }: Omit<Stored, 'tree'>,
    remote: RemoteRefs,
    signal: AbortSignal,
  ): Promise<void> {
    const { home, gitDir, repository } = this.#options
    const records = recordsInNote(note, { ...this.#options, folder: this.folder })
    if (records === undefined)
      throw new CadreError(
        'corrupt',
        `${this.ref} of ${repository.shown} names workspaces of other sessions. Restore the ref, or cancel the session.`,
      )
    const draft = `${gitDir}.new`
    rmSync(draft, { recursive: true, force: true })
    await git(['init', '-q', ...formatOf(commit), '--', draft], { cwd: path.dirname(gitDir) })
    const own: GitRequest = {
      cwd: draft,
      gitDir: path.join(draft, '.git'),
      signal,
      timeoutMs: checkoutTimeoutMs,
    }
    writeFileSync(path.join(draft, '.git', 'objects', 'info', 'alternates'), this.#alternates)
    const { head, headRef } = note
    if (headRef !== null) await git(['symbolic-ref', 'HEAD', headRef], own)
    await git(['update-ref', 'HEAD', head], own)
    await git(['config', 'remote.origin.url', repository.shown.replace(/\*\*\*@/, '')], own)
    await git(['config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'], own)
    const { defaultBranch = '' } = remote
    const known = remote.refs.get('HEAD')
    if (defaultBranch.startsWith('refs/heads/') && known !== undefined)
      await git(['update-ref', `refs/remotes/origin/${defaultBranch.slice(11)}`, known], own)
    const files = { ...this.#bare(signal), workTree: draft, index: this.#index, timeoutMs: checkoutTimeoutMs }
    rmSync(this.#index, { force: true })
    await git(['read-tree', '--reset', '-u', commit], files)
    if ((await treeOf(head, own)) === (await treeOf(commit, own)))
      copyFileSync(this.#index, path.join(draft, '.git', 'index'))
    else await git(['read-tree', head], own)
    for (const { branch, tip } of note.workspaces) await git(['update-ref', `refs/heads/${branch}`, tip], own)
    renameSync(draft, this.folder)
    // Their folders are restored from the commits when the sessions continue.
    for (const record of records) writeRecord(home, record)
  }

  /** The current files, and what belongs to them. */
  async #look(signal?: AbortSignal): Promise<{ readonly tree: string; readonly note: SnapshotNote }> {
    const { home, paths } = this.#options
    const { note } = this.#require()
    const files = {
      ...this.#bare(signal),
      workTree: this.folder,
      index: this.#index,
      timeoutMs: checkoutTimeoutMs,
    }
    // A command that was stopped may have left it.
    rmSync(`${this.#index}.lock`, { force: true })
    const taken = await takeSnapshot({ ...files, without: home.path })
    if (taken.kind !== 'taken') throw new Error(`unreachable: ${taken.reason}`)
    const own = this.#ownGit()
    const at = { cwd: this.folder, gitDir: own, signal }
    const head = own === undefined ? undefined : await commitOf('HEAD', at)
    const branch = own === undefined ? undefined : await tryGit(['symbolic-ref', '-q', 'HEAD'], at)
    const workspaces = this.#records().map(
      ({ session, agent, path: place, base, target, branch: name, start, tip, merged, created }) => ({
        ...{ session, agent, path: place, base: base ?? '', target: target ?? '', branch: name, start, tip },
        ...(merged !== undefined && { merged }),
        created,
      }),
    )
    const { start, result } = note
    // An agent may have destroyed the repository in its checkout.
    const isUsable = head !== undefined && (await commitOf(head, this.#bare(signal))) !== undefined
    return {
      tree: taken.tree,
      note: {
        start,
        ...(isUsable
          ? { head, headRef: branch?.code === 0 ? branch.stdout.trim() : null }
          : { head: note.head, headRef: note.headRef }),
        workspaces: paths.toRecorded(workspaces),
        ...(result && { result }),
      },
    }
  }

  #records(): readonly WorkspaceRecord[] {
    const commonDir = path.join(this.folder, '.git')
    return listRecords(this.#options.home).filter(
      (record) => record.kind === 'worktree' && record.state === 'ready' && record.commonDir === commonDir,
    )
  }

  async #commit(
    tree: string,
    parents: readonly string[],
    message: string,
    signal?: AbortSignal,
  ): Promise<string> {
    const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-']
    return (await git(args, { ...this.#bare(signal), input: message })).trim()
  }

  /** Pushes a commit to the ref of the tree, with other refs. Returns false if the ref has moved. */
  async #push(
    snapshot: Omit<Stored, 'commit'> & {
      readonly subject: string
      readonly parent: string
      readonly expected: string | undefined
    },
    others: readonly RefUpdate[],
    signal?: AbortSignal,
  ): Promise<boolean> {
    const { tree, note, subject, parent, expected } = snapshot
    const { repository } = this.#options
    const named = (one: SnapshotNote | undefined) =>
      one === undefined ? [] : [one.start, one.head, ...one.workspaces.map(({ tip }) => tip)]
    const known = new Set([parent, ...named(this.#stored?.note)])
    const parents = [...new Set([parent, ...named(note).filter((commit) => !known.has(commit))])]
    const commit = await this.#commit(tree, parents, noteMessage(subject, note, randomUUID()), signal)
    this.#attempts.set(commit, { commit, tree, note })
    this.#remember(expected)
    try {
      await repository.push([{ ref: this.ref, commit, expected }, ...others], this.#bare(signal))
    } catch (error) {
      signal?.throwIfAborted()
      // The push may have arrived although its answer was lost.
      const now = (await repository.list([this.ref], signal)).refs.get(this.ref)
      if (now === expected) throw error
      if (now !== commit) {
        // An earlier push arrived late. The caller repeats this one.
        if (this.#adopt(now)) throw error
        return false
      }
    }
    this.#adopt(commit)
    return true
  }

  /** Returns what the repository has, unless another worker has taken the tree over. Asks it only if a push has failed. */
  async #settle(signal?: AbortSignal): Promise<Stored> {
    if (this.#attempts.size > 0)
      this.#adopt((await this.#options.repository.list([this.ref], signal)).refs.get(this.ref))
    return this.#require()
  }

  #adopt(commit: string | undefined): boolean {
    const arrived = commit === undefined ? undefined : this.#attempts.get(commit)
    if (arrived === undefined) return false
    this.#stored = arrived
    // Earlier pushes expect another value of the ref, so they can no longer arrive.
    this.#attempts.clear()
    this.#remember(arrived.commit)
    return true
  }

  /** The commits at which the repository may have the ref, if no other worker has moved it. */
  #pushed(): readonly string[] {
    try {
      const read: unknown = JSON.parse(readFileSync(this.#recordFile, 'utf8'))
      return isObject(read)
        ? [read['commit'], read['pending']].flat().filter((one) => typeof one === 'string')
        : []
    } catch {
      return []
    }
  }

  #remember(commit: string | undefined): void {
    const record = { commit: commit ?? null, pending: [...this.#attempts.keys()] }
    const draft = `${this.#recordFile}.tmp`
    writeFileSync(draft, JSON.stringify(record), { mode: ownerOnly })
    renameSync(draft, this.#recordFile)
  }

  get #recordFile(): string {
    return path.join(this.#options.gitDir, 'cadre.json')
  }

  /** Chooses a name for each branch that nobody else uses. No update is necessary if the branch has the commit already. */
  async #freeBranches(
    wanted: readonly {
      readonly name: string
      readonly commit: string
      readonly known?: SnapshotNote['result']
    }[],
    { refs }: RemoteRefs,
  ): Promise<readonly { readonly branch: string; readonly update?: RefUpdate }[]> {
    // If there is a branch `cadre`, there can be none below it.
    const isTaken = refs.has('refs/heads/cadre')
    return wanted.map(({ name, commit, known }) => {
      const first = known?.branch ?? (isTaken ? name.replace('/', '-') : name)
      for (let attempt = 1; ; attempt++) {
        const branch = attempt === 1 ? first : `${first}-${attempt}`
        const ref = `refs/heads/${branch}`
        const expected = refs.get(ref)
        if (expected === commit) return { branch }
        if (expected === undefined || (attempt === 1 && expected === known?.commit))
          return { branch, update: { ref, commit, expected } }
      }
    })
  }
}

/** Lets a repository read the objects of others. */
function alternatesOf(repositories: readonly string[]): string {
  return repositories.map((gitDir) => `${path.join(gitDir, 'objects')}\n`).join('')
}
