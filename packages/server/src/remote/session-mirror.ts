/**
 * Owns the session files of trees that workers run: writes the record to them, and sends what people change in them to the tree. Called by
 * the remote keeper.
 *
 * 1. A change in a file is sent before the file is written again, and stays in the file until the record shows its effect.
 * 2. A change is the difference from what the file contained before, so the record may have grown in the meantime. A further change waits
 *    until the record shows the one before it.
 * 3. A change that cannot be read or applied is kept in another file.
 * 4. While a command runs without a sandbox on this machine, changed files are neither read nor written, because an agent could have
 *    changed them.
 */
import { statSync } from 'node:fs'
import { CadreError, messageOf, type StoredSession } from '@cadre/core'
import { stampOf } from '@cadre/disk'
import { type Home, isUnsandboxedCommandRunning } from '@cadre/home'
import {
  backUpEdit,
  type FileEngine,
  type Projected,
  type ProjectedSession,
  projectSession,
  readProjected,
} from '@cadre/journal'
import { canRunUnattended } from '@cadre/runtime'
import { localChanges } from './local-changes.ts'
import { isAtBase, readBase, writeBase } from './projected-base.ts'
import type { RemoteTrees } from './remote-trees.ts'

export interface SessionMirrorOptions {
  readonly home: Home
  readonly engine: Pick<FileEngine, 'hold' | 'letGo'>
  readonly trees: RemoteTrees
  readonly place: string
  /** Called when an edit was not applied. `kept` is a copy of the edited file. */
  readonly rejected?: (session: string, message: string, kept: string) => void
}

/** Changes that were sent, and whose effect is not in the record yet. */
interface Sent {
  /** The id of the edit, or undefined if only decisions were sent. */
  readonly edit: string | undefined
  readonly decisions: string
  readonly stamp: string
  /** How often the record was read since. */
  reads: number
}

/** An edit that is not in the record after it was read this often was rejected. */
const maxReads = 30

export class SessionMirror {
  readonly #options: SessionMirrorOptions
  readonly #known = new Map<string, Projected>()
  /** The version of the record that each file shows. */
  readonly #versions = new Map<string, string>()
  readonly #sent = new Map<string, Sent>()
  /** Files that could not be read completely. A program may be writing them, so they are read again before anything is done about it. */
  readonly #unsettled = new Map<string, string>()
  readonly #working = new Map<string, Promise<unknown>>()

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
        const mirror = async () => {
          const record = this.#isMirrored(id, version) ? undefined : await tree.read(id)
          return record !== undefined && (await this.#mirror(id, record, version))
        }
        if (await this.#inOrder(id, mirror)) isAwaited = true
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
    return this.#stampOf(id) === known.stamp
  }

  /** Sends what people have changed in a file. Returns whether there was something. */
  push(id: string): Promise<boolean> {
    return this.#inOrder(id, async () => {
      const record = await this.#options.trees.read(id)
      return record !== undefined && (await this.#send(id, record, false)) === 'sent'
    })
  }

  /** Whether a person may have changed the file since it was written and its changes were sent. */
  isEdited(id: string): boolean {
    const { home, place } = this.#options
    try {
      const file = this.#changed(id)
      if (file === undefined || file.place !== place || file.stamp === this.#sent.get(id)?.stamp) return false
      return !isAtBase(file.stored, readBase(home, id))
    } catch {
      // The session duty reports a file that cannot be read.
      return false
    }
  }

  /** Returns true if a change in the file still has to take effect. */
  async #mirror(id: string, record: StoredSession, version: string): Promise<boolean> {
    const { home, place } = this.#options
    if ((await this.#send(id, record, true)) !== 'nothing') return true
    // It is written when the command has ended.
    if (isUnsandboxedCommandRunning(home) && this.#isChanged(id)) return false
    this.#sent.delete(id)
    const written = projectSession(home, record, { place, known: this.#known.get(id) })
    writeBase(home, record, written.appended)
    this.#known.set(id, written)
    this.#versions.set(id, version)
    return false
  }

  #isChanged(id: string): boolean {
    try {
      return this.#changed(id) !== undefined
    } catch {
      return true
    }
  }

  /** `awaited`: the file must not be written yet. `restores`: the caller writes a file whose changes cannot be read. */
  async #send(id: string, record: StoredSession, restores: boolean): Promise<'nothing' | 'sent' | 'awaited'> {
    const { home, trees } = this.#options
    if (isUnsandboxedCommandRunning(home)) return 'nothing'
    const file = this.#settled(id, restores)
    if (file === 'unsettled' || this.#isAwaited(id, record)) return 'awaited'
    const base = readBase(home, id)
    if (file === undefined || isAtBase(file.stored, base)) return 'nothing'
    const changes = localChanges(file.stored, record, base)
    if (changes === undefined) return 'nothing'
    const { answers, edit } = changes
    const decisions = JSON.stringify(answers)
    // Sent before, and rejected: the record applies.
    if (edit === undefined && this.#sent.get(id)?.decisions === decisions) return 'nothing'
    for (const { name, answer } of answers) await trees.answer({ session: id, name }, answer)
    if (edit !== undefined) {
      const resumes = await canRunUnattended(file.stored, async (other) => this.#readOr(other))
      await trees.edit(id, resumes ? { ...edit, resumes } : edit)
      writeBase(home, file.stored)
      // The base is no longer what was written last, so the file is rewritten.
      this.#known.delete(id)
    }
    this.#sent.set(id, { edit: edit?.id, decisions, stamp: file.stamp, reads: 0 })
    return 'sent'
  }

  /** Whether an edit that was sent before has to take effect first. */
  #isAwaited(id: string, record: StoredSession): boolean {
    const sent = this.#sent.get(id)
    if (sent?.edit === undefined) return false
    const isApplied = record.entries.some((entry) => entry.role === 'event' && entry['edit'] === sent.edit)
    if (!isApplied && ++sent.reads <= maxReads) return true
    this.#sent.delete(id)
    if (!isApplied) this.#keepRejected(id, 'The session did not accept the changes in its file.')
    return false
  }

  /** The file, if it is not as it was last written. */
  #changed(id: string): ProjectedSession | undefined {
    const file = readProjected(this.#options.home, id)
    return file === undefined || file.stamp === this.#known.get(id)?.stamp ? undefined : file
  }

  #settled(id: string, restores: boolean): ProjectedSession | undefined | 'unsettled' {
    try {
      const file = this.#changed(id)
      if (file?.isTorn === true && !this.#isSeenAgain(id)) return 'unsettled'
      this.#unsettled.delete(id)
      return file
    } catch (error) {
      if (!restores || !(error instanceof CadreError) || error.code !== 'corrupt') throw error
      if (!this.#isSeenAgain(id)) return 'unsettled'
      this.#unsettled.delete(id)
      this.#keepRejected(id, messageOf(error))
      return undefined
    }
  }

  /** Whether the file is as it was when it was last read. */
  #isSeenAgain(id: string): boolean {
    const stamp = this.#stampOf(id)
    const isSame = this.#unsettled.get(id) === stamp
    this.#unsettled.set(id, stamp)
    return isSame
  }

  #keepRejected(id: string, reason: string): void {
    const kept = backUpEdit(this.#pathOf(id))
    this.#options.rejected?.(
      id,
      `${reason} Cadre restored the file and kept the changed file as ${kept}.`,
      kept,
    )
  }

  #stampOf(id: string): string {
    const stats = statSync(this.#pathOf(id), { throwIfNoEntry: false })
    return stats === undefined ? '' : stampOf(stats).is
  }

  #pathOf(id: string): string {
    return this.#options.home.at('sessions', `${id}.session.yaml`)
  }

  #readOr(id: string): StoredSession | undefined {
    try {
      return readProjected(this.#options.home, id)?.stored
    } catch {
      return undefined
    }
  }

  /** The file of a session is read and written by one caller at a time. */
  #inOrder<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#working.get(id) ?? Promise.resolve()
    const result = before.then(work, work)
    const forget = () => {
      if (this.#working.get(id) === settled) this.#working.delete(id)
    }
    const settled = result.then(forget, forget)
    this.#working.set(id, settled)
    return result
  }
}
