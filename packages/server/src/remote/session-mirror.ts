/**
 * Owns the session files of trees that workers run: writes the record to them, and sends what people change in them to the tree. Called by
 * the remote keeper, for one tree at a time.
 *
 * 1. A change in a file is sent before the file is written again, and stays in the file until the record shows its effect.
 * 2. While a command runs without a sandbox on this machine, changed files are neither read nor written, because an agent could have
 *    changed them.
 */
import type { StoredSession } from '@cadre/core'
import { type Home, isUnsandboxedCommandRunning } from '@cadre/home'
import { type FileEngine, type Projected, projectSession, readProjected } from '@cadre/journal'
import { localChanges } from './local-changes.ts'
import type { RemoteTrees } from './remote-trees.ts'

export interface SessionMirrorOptions {
  readonly home: Home
  readonly engine: Pick<FileEngine, 'hold' | 'letGo'>
  readonly trees: RemoteTrees
  readonly place: string
}

export class SessionMirror {
  readonly #options: SessionMirrorOptions
  readonly #known = new Map<string, Projected>()
  /** The version of the record that each file shows. */
  readonly #versions = new Map<string, string>()
  /** Sessions with changes that were sent, and whose effect is not in the record yet. */
  readonly #sent = new Map<string, string>()

  constructor(options: SessionMirrorOptions) {
    this.#options = options
  }

  /** Writes the records of a tree to its files. Returns the sessions of the tree, and whether a change still has to take effect. */
  async sync(root: string): Promise<{ readonly ids: readonly string[]; readonly isAwaited: boolean }> {
    const { engine, trees } = this.#options
    await engine.hold(root)
    try {
      const tree = await trees.readTree(root)
      let isAwaited = false
      for (const [id, version] of tree.sessions) {
        if (this.#isMirrored(id, version)) continue
        const record = await tree.read(id)
        if (record !== undefined && (await this.#mirror(id, record, version))) isAwaited = true
      }
      return { ids: [...tree.sessions.keys()], isAwaited }
    } finally {
      engine.letGo(root)
    }
  }

  /** The file shows this version of the record, and is as it was last written. */
  #isMirrored(id: string, version: string): boolean {
    const known = this.#known.get(id)
    if (known === undefined || this.#versions.get(id) !== version) return false
    return readProjected(this.#options.home, id)?.stamp === known.stamp
  }

  /** Sends what people have changed in a file. Returns whether there was something. */
  async push(id: string): Promise<boolean> {
    const record = await this.#options.trees.read(id)
    return record !== undefined && (await this.#send(id, record, this.#known.get(id)?.count))
  }

  /** Returns true if a change in the file still has to take effect. */
  async #mirror(id: string, record: StoredSession, version: string): Promise<boolean> {
    const { home, place } = this.#options
    if (await this.#send(id, record)) return true
    // It is written when the command has ended.
    if (isUnsandboxedCommandRunning(home) && this.#changed(id) !== undefined) return false
    this.#sent.delete(id)
    this.#known.set(id, projectSession(home, record, { place, known: this.#known.get(id) }))
    this.#versions.set(id, version)
    return false
  }

  /** The file, if it is not as it was last written. */
  #changed(id: string) {
    const file = readProjected(this.#options.home, id)
    return file === undefined || file.stamp === this.#known.get(id)?.stamp ? undefined : file
  }

  /** `written`: see `localChanges`. */
  async #send(id: string, record: StoredSession, written?: number): Promise<boolean> {
    const { home, trees } = this.#options
    const file = this.#changed(id)
    if (file === undefined || isUnsandboxedCommandRunning(home)) return false
    const changes = localChanges(file.stored, record, written)
    if (changes === undefined) return false
    const key = JSON.stringify(changes)
    // Sent before, and rejected: the record applies.
    if (this.#sent.get(id) === key) return false
    for (const { name, answer } of changes.answers) await trees.answer({ session: id, name }, answer)
    if (changes.edit !== undefined) {
      await trees.edit(id, changes.edit)
      // An edit alone does not wake a tree.
      await trees.resume(id)
    }
    this.#sent.set(id, key)
    return true
  }
}
