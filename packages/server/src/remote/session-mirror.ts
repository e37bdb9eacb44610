/**
 * Owns the session files of trees that workers run: writes the record to them, and sends what people change in them to the tree. Called by
 * the remote keeper.
 *
 * 1. A change in a file is sent before the file is written again, and stays in the file until the record shows its effect.
 * 2. A change is the difference from what the file contained before, so the record may have grown in the meantime. A further change waits
 *    until the record shows the one before it.
 * 3. A change that cannot be read or applied is kept in another file.
 * 4. While a command runs without a sandbox in this home, changed files are neither read nor written, because an agent could have changed
 *    them. What it has changed is noted before it counts as ended (`noteDoubt`). So the notes are checked after a file was read, and
 *    after it was certain that no command runs: a file with a note is never sent. It is kept in another file, and written from the record.
 * 5. A worker is not trusted: a record is written only to the file of its own session (`requireRecordOf`, `requireFileOf`).
 */
import { statSync } from 'node:fs'
import { CadreError, messageOf, type StoredSession } from '@cadre/core'
import { stampOf } from '@cadre/disk'
import {
  checkSessionName,
  doubtsAbout,
  type Home,
  isUnsandboxedCommandRunning,
  removeDoubts,
} from '@cadre/home'
import {
  backUpEdit,
  type FileEngine,
  type Projected,
  type ProjectedSession,
  projectSession,
  readProjected,
  requireFileOf,
  requireRecordOf,
} from '@cadre/journal'
import { canRunUnattended } from '@cadre/runtime'
import { localChanges } from './local-changes.ts'
import { type FileBase, isAtBase, readBase, writeBase } from './projected-base.ts'
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

/** What was found in a file that is not as it was last written. */
interface Seen {
  /** Absent if there is no such file, or if it cannot be read. */
  readonly file?: ProjectedSession | undefined
  /** The stamp of the file that may be replaced. */
  readonly stamp?: string | undefined
  /** A command could have changed the file. */
  readonly isDoubtful?: boolean
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

  /**
   * Writes the records of a tree to its files. Returns the sessions of the tree, and whether a change still has to take effect. If a record
   * may not be written, writes all others and then throws.
   */
  async sync(root: string): Promise<{ readonly ids: readonly string[]; readonly isAwaited: boolean }> {
    const { engine, trees } = this.#options
    await engine.hold(root)
    try {
      const tree = await trees.readTree(root)
      const ids: string[] = []
      let isAwaited = false
      const refused: unknown[] = []
      for (const [id, version] of tree.sessions) {
        const mirror = async () => {
          checkSessionName(id)
          const isMirrored = this.#isMirrored(id, root, version)
          const record = isMirrored ? undefined : await tree.read(id)
          if (record !== undefined) requireRecordOf(id, root, record)
          const isEffectAwaited = record !== undefined && (await this.#mirror(id, record, version))
          // A tree may name a session of another one without its record.
          if (isMirrored || record !== undefined) ids.push(id)
          return isEffectAwaited
        }
        try {
          if (await this.#inOrder(id, mirror)) isAwaited = true
        } catch (error) {
          if (!isRefusal(error)) throw error
          refused.push(error)
        }
      }
      if (refused.length > 0) throw refused[0]
      return { ids, isAwaited }
    } finally {
      engine.letGo(root)
    }
  }

  /** The file shows this version of the record, and is as it was last written. */
  #isMirrored(id: string, root: string, version: string): boolean {
    const known = this.#known.get(id)
    if (known?.root !== root || this.#versions.get(id) !== version) return false
    return this.#stampOf(id) === known.stamp && doubtsAbout(this.#options.home, id).length === 0
  }

  /** Sends what people have changed in a file. Returns whether there was something. */
  push(id: string): Promise<boolean> {
    return this.#inOrder(id, async () => {
      const record = await this.#options.trees.read(id)
      if (record === undefined) return false
      requireRecordOf(id, record.spec.root, record)
      return (await this.#send(id, record, false)) === 'sent'
    })
  }

  /** Whether a person may have changed the file since it was written and its changes were sent, or it must be written again. */
  isEdited(id: string): boolean {
    const { home, place } = this.#options
    try {
      if (doubtsAbout(home, id).length > 0) return readProjected(home, id)?.place === place
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
    const notes = doubtsAbout(home, id)
    const seen = await this.#send(id, record, true)
    if (seen === 'sent' || seen === 'awaited') return true
    // It is written when the command has ended.
    if (isUnsandboxedCommandRunning(home) && this.#isChanged(id)) return false
    this.#sent.delete(id)
    const { root } = record.spec
    const known = this.#known.get(id)
    const written = projectSession(home, record, { id, root, place, known, read: seen.stamp })
    if (written === 'changed') return true
    if (written.kept !== undefined)
      this.#reportKept(id, 'The session file was changed while Cadre wrote it.', written.kept)
    writeBase(home, record, written.appended)
    this.#known.set(id, written)
    this.#versions.set(id, version)
    if (seen.isDoubtful === true) removeDoubts(notes)
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
  async #send(id: string, record: StoredSession, restores: boolean): Promise<'sent' | 'awaited' | Seen> {
    const { home, trees } = this.#options
    if (isUnsandboxedCommandRunning(home)) return {}
    const seen = this.#settled(id, record.spec.root, restores)
    if (seen === 'unsettled') return 'awaited'
    const { file } = seen
    const base = readBase(home, id)
    // A command may have started since the file was read, and even ended.
    if (isUnsandboxedCommandRunning(home)) return {}
    if (this.#isAwaited(id, record)) return 'awaited'
    if (doubtsAbout(home, id).length > 0) return restores ? this.#distrust(id, seen, base) : seen
    if (file === undefined || isAtBase(file.stored, base)) return seen
    const changes = localChanges(file.stored, record, base)
    if (changes === undefined) return seen
    const { answers, edit } = changes
    const decisions = JSON.stringify(answers)
    // Sent before, and rejected: the record applies.
    if (edit === undefined && this.#sent.get(id)?.decisions === decisions) return seen
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

  /** The whole file and its base must be written from the record. */
  #distrust(id: string, { file, stamp }: Seen, base: FileBase | undefined): Seen {
    if (file !== undefined && (file.isTorn || !isAtBase(file.stored, base)))
      this.#keepRejected(
        id,
        'The session file was changed while a command ran without a sandbox, so an agent could have changed it.',
      )
    const known = this.#known.get(id)
    this.#known.delete(id)
    return { stamp: stamp ?? known?.stamp, isDoubtful: true }
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

  #settled(id: string, root: string, restores: boolean): Seen | 'unsettled' {
    const stamp = this.#stampOf(id)
    try {
      const file = this.#changed(id)
      if (file !== undefined) requireFileOf(root, this.#options.place, file)
      if (file?.isTorn === true && !this.#isSeenAgain(id, stamp)) return 'unsettled'
      this.#unsettled.delete(id)
      return file === undefined ? {} : { file, stamp: file.stamp }
    } catch (error) {
      if (!restores || !(error instanceof CadreError) || error.code !== 'corrupt') throw error
      // It does not say whose it is, and this mirror has never written it.
      if (readBase(this.#options.home, id) === undefined) throw error
      if (!this.#isSeenAgain(id, stamp)) return 'unsettled'
      this.#unsettled.delete(id)
      this.#keepRejected(id, messageOf(error))
      return { stamp }
    }
  }

  /** Whether the file is as it was when it was last read. */
  #isSeenAgain(id: string, stamp: string): boolean {
    const isSame = this.#unsettled.get(id) === stamp
    this.#unsettled.set(id, stamp)
    return isSame
  }

  #keepRejected(id: string, reason: string): void {
    this.#reportKept(id, reason, backUpEdit(this.#pathOf(id)))
  }

  #reportKept(id: string, reason: string, kept: string): void {
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

/** Nothing that can be repeated: the record or the file has to change first. */
function isRefusal(error: unknown): boolean {
  return error instanceof CadreError && ['corrupt', 'owned', 'usage'].includes(error.code)
}
