/**
 * The history of a home: `.git` in it, written by this file alone. Commits are made in the background, some time after
 * something was noted; nobody waits for one but `flush` and `close`.
 *
 * 1. One commit at a time: in this process by a chain, among processes by a lease that a dead one does not hold.
 * 2. What fails is told once, until something works again, and never stops what was noted.
 * 3. A commit that was begun and not ended leaves objects and nothing else; a lock it left is taken away once nobody holds it.
 * 4. A note that comes while a commit is made belongs to the next one.
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
import type { Home } from '../home/open-home.ts'
import { Leases } from '../leases/leases.ts'
import { batchMessage, foundMessage, unnotedMessage } from './batch-message.ts'
import { writeHomeExclude } from './home-exclude.ts'
import { isAtRest } from './is-at-rest.ts'

export interface HomeGit {
  /**
   * Says what has just been done to the home; it is committed a little later, together with what else is noted until then.
   * `paths`, relative to the home: what it was done to. Without them everything that is different belongs to it.
   */
  note(message: string, paths?: readonly string[]): void
  /** Resolves when all changes are committed, with or without a note. Never rejects. */
  flush(): Promise<void>
  /** The same, journals that still grow included; nothing is committed afterwards. */
  close(): Promise<void>
  /** Why there is no history. */
  readonly missing?: string
  /** Why the last commit could not be made; nothing when it was. */
  readonly failing?: string | undefined
}

export interface HomeGitOptions {
  /** How long notes are gathered, in milliseconds. */
  readonly gather?: number
  /** So many notes are committed without waiting any longer. */
  readonly most?: number
  /** The first commit of a home without history takes in all of it: it is begun when this has settled. */
  readonly beginsAfter?: Promise<unknown>
}

/** How often the whole home is looked through for changes that nobody noted, at most, in milliseconds. */
const sweepEvery = 30_000
const commitsBetweenPacks = 200
const patience = 30_000

/** Opens the history of a home, which begins now if there was none. Never rejects: where there can be none, `missing` says why. */
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
    const { gather = 1_000, most = 50, beginsAfter } = options
    this.#home = home
    this.#tell = tell
    this.#gather = gather
    this.#most = most
    this.#beginsAfter = beginsAfter
    const gitDir = home.at('.git')
    // Journals hardly compress better for the time that it takes, and are never compared with each other.
    const settings = ['core.compression=1', 'core.bigFileThreshold=16m']
    this.#at = { cwd: home.path, gitDir, workTree: home.path, settings }
  }

  async open(): Promise<string | undefined> {
    try {
      findGit()
      this.#home.folder('storage')
      // Also where the first commit was begun and not ended.
      const isNew = !existsSync(path.join(this.#at.gitDir, 'index'))
      await this.#locked(async () => {
        if (!isRepository(this.#at.gitDir)) await git(['init', '-q', '--template='], { cwd: this.#home.path })
        writeHomeExclude(this.#at.gitDir)
      })
      // Nothing that others have written has to be told apart yet.
      if (isNew && this.#beginsAfter !== undefined)
        this.#chain = this.#beginsAfter.then(
          () => {},
          () => {},
        )
      // Whatever is different by now, nobody who could have noted it was there.
      void this.#enqueue('found')
      return undefined
    } catch (error) {
      const why = sentenceOf(error)
      return `Cadre keeps no git history of the home directory ${this.#home.path}: ${why} Everything else works.`
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

  #enqueue(how: How): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#chain = this.#chain.then(() => this.#work(how))
    return this.#chain
  }

  async #work(how: How): Promise<void> {
    // What is noted meanwhile is about something else than what was found.
    const notes = how === 'found' ? [] : this.#notes
    if (how === 'notes' && notes.length === 0) return
    if (how !== 'found') this.#notes = []
    try {
      await this.#locked(() => this.#commit(notes, how))
      this.#failing = undefined
    } catch (error) {
      const why = `Cannot commit changes of ${this.#home.path}: ${sentenceOf(error)} Cadre retries with the next change.`
      // What is different now is still different when the next one is made.
      if (this.#failing === undefined) this.#tell(why)
      this.#failing = why
    }
  }

  async #commit(notes: readonly Note[], how: How): Promise<void> {
    if (!(await removeStaleLock(path.join(this.#at.gitDir, 'index.lock'))))
      throw new CadreError('owned', 'another git process has locked its index.', { where: this.#at.gitDir })
    const named = notes.flatMap(({ paths = [] }) => paths)
    const isNamed = notes.every(({ paths }) => paths !== undefined)
    const sweeps = how !== 'notes' || !isNamed || Date.now() - this.#sweptAt > sweepEvery
    const changed = sweeps ? await this.#changes(how) : []
    if (sweeps) this.#sweptAt = Date.now()
    const own = isNamed ? await this.#resting(this.#checked(named), how) : changed
    if (notes.length > 0) await this.#commitPaths(own, batchMessage(notes.map(({ message }) => message)))
    const staged = new Set(notes.length > 0 ? own : [])
    const others = changed.filter((name) => !staged.has(name))
    if (others.length > 0) {
      const isFirst = (await commitOf('HEAD', this.#at)) === undefined
      await this.#commitPaths(others, isFirst ? foundMessage(others) : unnotedMessage(others))
    }
    await this.#pack()
  }

  async #changes(how: How): Promise<readonly string[]> {
    const { paths } = await changedPaths(this.#at)
    return this.#resting(paths, how)
  }

  /** Paths that are the home's own: what stands there comes from whoever made the note. */
  #checked(names: readonly string[]): string[] {
    const tidy = names.map((name) => path.posix.normalize(name.split(path.sep).join('/')))
    return [...new Set(tidy)].filter(
      (name) => name !== '.' && !name.startsWith('..') && !name.startsWith('/'),
    )
  }

  async #resting(names: readonly string[], how: How): Promise<string[]> {
    const kept: string[] = []
    for (const name of names) {
      const isJournal = name.startsWith('sessions/') && how !== 'everything'
      if (isJournal) {
        const committed = await this.#committedSize(name)
        if (!isAtRest(this.#home.at(name), () => ({ size: committed }))) continue
      }
      kept.push(name)
    }
    return kept
  }

  /** Asked only of files that are large: others are committed whatever it was. */
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

  /** Without what is ignored: it may have been noted all the same. */
  async #kept(names: readonly string[]): Promise<readonly string[]> {
    const input = names.map((name) => `${name}\0`).join('')
    const { stdout } = await tryGit(['check-ignore', '--no-index', '-z', '--stdin'], { ...this.#at, input })
    const ignored = new Set(stdout.split('\0'))
    return names.filter((name) => !ignored.has(name))
  }

  /** Each commit writes a tree of all sessions anew; packed, only what is different of them is kept. */
  async #pack(): Promise<void> {
    if (this.#commits < commitsBetweenPacks) return
    this.#commits = 0
    const settings = [...(this.#at.settings ?? []), 'gc.auto=1000', 'gc.autoDetach=false']
    await tryGit(['gc', '--auto', '-q'], { ...this.#at, settings, timeoutMs: 600_000 })
  }

  async #locked<T>(work: () => Promise<T>): Promise<T> {
    const leases = new Leases(this.#home, thisProcess())
    try {
      for (const until = Date.now() + patience; ; ) {
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

/** `notes`: what was noted. `sweep`: and what nobody noted. `everything`: and journals that still grow. */
type How = 'found' | 'notes' | 'sweep' | 'everything'

function isRepository(gitDir: string): boolean {
  return existsSync(path.join(gitDir, 'HEAD')) && existsSync(path.join(gitDir, 'objects'))
}
