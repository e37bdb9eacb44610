/**
 * The ref of a tree at the repository, `refs/cadre/trees/<root>`, as one worker knows it.
 *
 * 1. It names a commit with the files of the tree, as of its last stored call. The commit also names the commit from which the tree
 *    started, and contains the agents' own commits.
 * 2. Every push names the value that it expects. So a worker that has lost the tree without noticing can no longer store anything.
 * 3. The commits of all pushes that may have arrived are on disk before the push, so that a restarted worker recognises its own.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CadreError, isObject } from '@cadre/core'
import { commitOf, git, ownerOnly } from '@cadre/disk'
import type { CheckoutGit } from './checkout-git.ts'
import type { CheckoutRepository, RefUpdate } from './checkout-repository.ts'
import { noteMessage, readNote, refNameOf, type SnapshotNote } from './snapshot-note.ts'

/** A commit that the repository has under the ref of the tree. */
export interface Stored {
  readonly commit: string
  readonly tree: string
  readonly note: SnapshotNote
}

/** What a push stores. */
export interface Snapshot extends Omit<Stored, 'commit'> {
  readonly subject: string
  readonly parent: string
  readonly expected: string | undefined
}

export interface TreeRefOptions {
  readonly root: string
  readonly repository: CheckoutRepository
  readonly git: CheckoutGit
}

export class TreeRef {
  readonly name: string
  readonly #options: TreeRefOptions
  #stored: Stored | undefined
  /** Commits of pushes that failed since then. The repository may have one of them, because an answer can be lost. */
  readonly #attempts = new Map<string, Stored>()

  constructor(options: TreeRefOptions) {
    this.#options = options
    this.name = `refs/cadre/trees/${refNameOf(options.root)}`
  }

  /** What the repository has, as far as this worker knows. The tree must have been taken over. */
  get stored(): Stored {
    if (this.#stored === undefined) throw new Error(`unreachable: ${this.#options.root} was not taken over`)
    return this.#stored
  }

  forget(): void {
    this.#stored = undefined
  }

  /** Whether this worker has pushed the commit. Known after a restart too. */
  hasPushed(commit: string): boolean {
    return this.#pushed().includes(commit)
  }

  /** Fetches the commit that the repository has, and all that its note names. */
  async fetch(tip: string, signal: AbortSignal): Promise<Omit<Stored, 'tree'>> {
    const { repository } = this.#options
    const at = this.#options.git.bare(signal)
    const has = async (commit: string) => (await commitOf(commit, at)) !== undefined
    if (!(await has(tip))) await repository.fetch([this.name], at)
    const text = (await has(tip)) ? await git(['cat-file', 'commit', tip], at) : ''
    const note = readNote(text.slice(text.indexOf('\n\n') + 2))
    const needed = note && [note.start, note.head, ...note.workspaces.map((one) => one.tip)]
    const isWhole = needed !== undefined && (await Promise.all(needed.map(has))).every(Boolean)
    if (note !== undefined && isWhole) return { commit: tip, note }
    throw new CadreError(
      'corrupt',
      `${this.name} of ${repository.shown} does not contain what Cadre stored there. Restore the ref, or cancel the session.`,
    )
  }

  /** Pushes a commit to the ref, with other refs. Returns false if the ref has moved. */
  async push(snapshot: Snapshot, others: readonly RefUpdate[], signal?: AbortSignal): Promise<boolean> {
    const { tree, note, subject, parent, expected } = snapshot
    const { repository, git: own } = this.#options
    const named = (one: SnapshotNote | undefined) =>
      one === undefined ? [] : [one.start, one.head, ...one.workspaces.map(({ tip }) => tip)]
    const known = new Set([parent, ...named(this.#stored?.note)])
    const parents = [...new Set([parent, ...named(note).filter((commit) => !known.has(commit))])]
    const commit = await own.commit(tree, parents, noteMessage(subject, note, randomUUID()), signal)
    this.#attempts.set(commit, { commit, tree, note })
    this.#remember(expected)
    try {
      await repository.push([{ ref: this.name, commit, expected }, ...others], own.bare(signal))
    } catch (error) {
      signal?.throwIfAborted()
      // The push may have arrived although its answer was lost.
      const now = (await repository.list([this.name], signal)).refs.get(this.name)
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
  async settle(signal?: AbortSignal): Promise<Stored> {
    if (this.#attempts.size > 0)
      this.#adopt((await this.#options.repository.list([this.name], signal)).refs.get(this.name))
    return this.stored
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
    return path.join(this.#options.git.gitDir, 'cadre.json')
  }
}
