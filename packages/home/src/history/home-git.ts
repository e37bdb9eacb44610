/**
 * Owns the history of a home, its `.git`. Commits are made in the background, some time after a note. Only `flush` and `close` wait for a
 * commit.
 *
 * 1. One commit at a time: serialised by a promise chain in this process, and by a lease between processes.
 * 2. A failure is reported once, until a commit succeeds again, and never blocks the caller of `note`.
 * 3. An interrupted commit leaves only unused objects, and a lock that is removed once no process holds it.
 * 4. A note that arrives during a commit is part of the next one.
 */
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CadreError, sentenceOf } from '@cadre/core'
import {
  changedPaths,
  commitIndex,
  commitOf,
  findGit,
  type GitRequest,
  git,
  removeStaleLock,
  stagePaths,
  thisProcess,
  tryGit,
} from '@cadre/disk'
import type { Home } from '../home/home.ts'
import { Leases } from '../leases/leases.ts'
import { batchCommitMessage, initialCommitMessage, unrecordedChangesMessage } from './commit-messages.ts'
import { writeHomeExclude } from './home-exclude.ts'
import { isReadyToCommit } from './is-ready-to-commit.ts'

export interface HomeGit {
  /**
   * Notes a change of the home. It is committed a little later, together with other notes until then. `paths`: the changed paths, relative
   * to the home. Without them, the note covers all changes.
   */
  note(message: string, paths?: readonly string[]): void
  /** Resolves when all changes are committed, with or without a note. Never rejects. */
  flush(): Promise<void>
  /** Like `flush`, including journals of running sessions. Nothing is committed afterwards. */
  close(): Promise<void>
  /** The reason why there is no history. */
  readonly missing?: string
  /** The reason why the last commit failed, if it did. */
  readonly failing?: string | undefined
}

export interface HomeGitOptions {
  /** How long to collect notes before a commit, in milliseconds. */
  readonly gather?: number
  /** The number of notes at which a commit starts immediately. */
  readonly max?: number
  /** Delays the first commit, which includes the whole home, until this promise settles. */
  readonly beginsAfter?: Promise<unknown>
}

/** The minimum interval between two scans of the whole home for changes without a note, in milliseconds. */
const sweepIntervalMs = 30_000
const commitsBetweenPacks = 200
const lockTimeoutMs = 30_000

/** Opens the history of a home, and creates it if necessary. Never rejects: if there can be no history, `missing` has the reason. */
export async function openHomeGit(
  home: Home,
  tell: (message: string) => void,
  options: HomeGitOptions = {},
): Promise<HomeGit> {
  const keeper = new HomeKeeper(home, tell, options)
  const missing = await keeper.open()
  if (missing === undefined) return keeper
  tell(missing)
  return { note() {}, flush: async () => {}, close: async () => {}, missing }
}

interface Note {
  readonly message: string
  readonly paths: readonly string[] | undefined
}

class HomeKeeper implements HomeGit {
  readonly #home: Home
  readonly #tell: (message: string) => void
  readonly #gather: number
  readonly #most: number
  readonly #beginsAfter: Promise<unknown> | undefined
  readonly #at: GitRequest & { readonly gitDir: string; readonly workTree: string }
  #notes: Note[] = []
  #timer: NodeJS.Timeout | undefined
  #chain: Promise<void> = Promise.resolve()
  #isClosed = false
  #failing: string | undefined
  #sweptAt = 0
  #commits = 0

  constructor(home: Home, tell: (message: string) => void, options: HomeGitOptions) {
    const { gather = 1_000, max = 50, beginsAfter } = options
    this.#home = home
    this.#tell = tell
    this.#gather = gather
    this.#most = max
    this.#beginsAfter = beginsAfter
    const gitDir = home.at('.git')
    // A higher compression level hardly makes journals smaller, and deltas between large files are slow.
    const settings = ['core.compression=1', 'core.bigFileThreshold=16m']
    this.#at = { cwd: home.path, gitDir, workTree: home.path, settings }
  }

  async open(): Promise<string | undefined> {
    try {
      findGit()
      this.#home.folder('storage')
      // True also if the first commit was interrupted.
      const isNew = !existsSync(path.join(this.#at.gitDir, 'index'))
      await this.#locked(async () => {
        if (!isRepository(this.#at.gitDir)) await git(['init', '-q', '--template='], { cwd: this.#home.path })
        writeHomeExclude(this.#at.gitDir)
      })
      // A new history has no earlier commit to compare with.
      if (isNew && this.#beginsAfter !== undefined)
        this.#chain = this.#beginsAfter.then(
          () => {},
          () => {},
        )
      // Changes up to now were made while no daemon was running, so they have no notes.
      void this.#enqueue('found')
      return undefined
    } catch (error) {
      const why = sentenceOf(error)
      return `Cadre does not record the git history of the home directory ${this.#home.path}: ${why} Everything else works.`
    }
  }

  get failing(): string | undefined {
    return this.#failing
  }

  note(message: string, paths?: readonly string[]): void {
    if (this.#isClosed) return
    this.#notes.push({ message, paths })
    if (this.#notes.length >= this.#most) void this.#enqueue('notes')
    else this.#timer ??= setTimeout(() => void this.#enqueue('notes'), this.#gather).unref()
  }

  flush(): Promise<void> {
    return this.#enqueue('sweep')
  }

  async close(): Promise<void> {
    if (this.#isClosed) return this.#chain
    this.#isClosed = true
    await this.#enqueue('everything')
  }

  #enqueue(how: CommitScope): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#chain = this.#chain.then(() => this.#work(how))
    return this.#chain
  }

  async #work(how: CommitScope): Promise<void> {
    // Notes that arrive in the meantime are about other changes.
    const notes = how === 'found' ? [] : this.#notes
    if (how === 'notes' && notes.length === 0) return
    if (how !== 'found') this.#notes = []
    try {
      await this.#locked(() => this.#commit(notes, how))
      this.#failing = undefined
    } catch (error) {
      const why = `Cannot commit changes in ${this.#home.path}: ${sentenceOf(error)} Cadre retries with the next change.`
      // The next commit includes these changes.
      if (this.#failing === undefined) this.#tell(why)
      this.#failing = why
    }
  }

  async #commit(notes: readonly Note[], how: CommitScope): Promise<void> {
    if (!(await removeStaleLock(path.join(this.#at.gitDir, 'index.lock'))))
      throw new CadreError('owned', 'another git process has locked its index.', { where: this.#at.gitDir })
    const named = notes.flatMap(({ paths = [] }) => paths)
    const isNamed = notes.every(({ paths }) => paths !== undefined)
    const sweeps = how !== 'notes' || !isNamed || Date.now() - this.#sweptAt > sweepIntervalMs
    const changed = sweeps ? await this.#changes(how) : []
    if (sweeps) this.#sweptAt = Date.now()
    const own = isNamed ? await this.#resting(this.#checked(named), how) : changed
    if (notes.length > 0)
      await this.#commitPaths(own, batchCommitMessage(notes.map(({ message }) => message)))
    const staged = new Set(notes.length > 0 ? own : [])
    const others = changed.filter((name) => !staged.has(name))
    if (others.length > 0) {
      const isFirst = (await commitOf('HEAD', this.#at)) === undefined
      await this.#commitPaths(
        others,
        isFirst ? initialCommitMessage(others) : unrecordedChangesMessage(others),
      )
    }
    await this.#pack()
  }

  async #changes(how: CommitScope): Promise<readonly string[]> {
    const { paths } = await changedPaths(this.#at)
    return this.#resting(paths, how)
  }

  /** Keeps only paths inside the home, because callers pass them unchecked. */
  #checked(names: readonly string[]): string[] {
    const tidy = names.map((name) => path.posix.normalize(name.split(path.sep).join('/')))
    return [...new Set(tidy)].filter(
      (name) => name !== '.' && !name.startsWith('..') && !name.startsWith('/'),
    )
  }

  async #resting(names: readonly string[], how: CommitScope): Promise<string[]> {
    const kept: string[] = []
    for (const name of names) {
      const isJournal = name.startsWith('sessions/') && how !== 'everything'
      if (isJournal) {
        const committed = await this.#committedSize(name)
        if (!isReadyToCommit(this.#home.at(name), () => ({ size: committed }))) continue
      }
      kept.push(name)
    }
    return kept
  }

  /** Called only for large files. Others are always committed. */
  async #committedSize(name: string): Promise<number> {
    const size = statSync(this.#home.at(name), { throwIfNoEntry: false })?.size ?? 0
    if (size < 1_000_000) return 0
    const { code, stdout } = await tryGit(['cat-file', '-s', `:0:${name}`], this.#at)
    return code === 0 ? Number(stdout) : 0
  }

  async #commitPaths(names: readonly string[], message: string): Promise<void> {
    if (names.length === 0) return
    await stagePaths(await this.#kept(names), this.#at)
    const parent = await commitOf('HEAD', this.#at)
    const commit = await commitIndex({ ...this.#at, message, parent })
    if (commit === undefined) return
    await git(
      ['update-ref', '-m', 'cadre', 'HEAD', commit, ...(parent === undefined ? [] : [parent])],
      this.#at,
    )
    this.#commits++
  }

  /** Removes ignored paths, which may have been noted. */
  async #kept(names: readonly string[]): Promise<readonly string[]> {
    const input = names.map((name) => `${name}\0`).join('')
    const { stdout } = await tryGit(['check-ignore', '--no-index', '-z', '--stdin'], { ...this.#at, input })
    const ignored = new Set(stdout.split('\0'))
    return names.filter((name) => !ignored.has(name))
  }

  /** Each commit writes a new tree of all sessions. Packing stores only the differences. */
  async #pack(): Promise<void> {
    if (this.#commits < commitsBetweenPacks) return
    this.#commits = 0
    const settings = [...(this.#at.settings ?? []), 'gc.auto=1000', 'gc.autoDetach=false']
    await tryGit(['gc', '--auto', '-q'], { ...this.#at, settings, timeoutMs: 600_000 })
  }

  async #locked<T>(work: () => Promise<T>): Promise<T> {
    const leases = new Leases(this.#home, thisProcess())
    try {
      for (const until = Date.now() + lockTimeoutMs; ; ) {
        try {
          leases.acquire('.history')
          break
        } catch (error) {
          if (!(error instanceof CadreError && error.code === 'owned') || Date.now() > until) throw error
          await pause(10 + Math.random() * 30)
        }
      }
      return await work()
    } finally {
      leases.close()
    }
  }
}

/** `notes`: noted changes. `sweep`: also changes without a note. `everything`: also journals of running sessions. */
type CommitScope = 'found' | 'notes' | 'sweep' | 'everything'

function isRepository(gitDir: string): boolean {
  return existsSync(path.join(gitDir, 'HEAD')) && existsSync(path.join(gitDir, 'objects'))
}
