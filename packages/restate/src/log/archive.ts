/**
 * Owns what the archive of a tree contains, and what the journal of the current invocation adds to it. Used by the invocation only.
 *
 * 1. It is a function of the archive at the start and of the journal, so that a replay writes the same keys with the same values.
 * 2. A chunk never changes after it is written. The head is written last, and chunks that it no longer lists are removed after it. A
 *    reader that finds a chunk missing reads the head again.
 * 3. The archive is never read into the journal: processes that need a session read its chunks through a shared handler.
 */
import type { Entry, ReportStatus, SessionSpec, SessionStatus } from '@cadre/core'
import { jsonOf, type Stored } from './packed.ts'
import type { PackedItem } from './packed-item.ts'

/** The key of the object's state that lists the sessions and their chunks. */
export const headKey = 'head'
export const specKey = (id: string): string => `spec/${id}`
export const chunkKey = (chunk: number): string => `log/${chunk}`

export interface ArchiveHead {
  /** Increases with each write. */
  readonly version: number
  /** The number of the next chunk. */
  readonly next: number
  readonly sessions: Readonly<Record<string, ArchivedSession>>
}

export interface ArchivedSession {
  readonly status: SessionStatus
  readonly outcome: ReportStatus | null
  /** The chunks with its entries, in order, and their sizes in characters. */
  readonly chunks: readonly (readonly [chunk: number, size: number])[]
}

/** Writes keys of the object's state. */
export interface ArchiveWriter {
  set(key: string, json: string): void
  clear(key: string): void
  get(key: string): Promise<string | null>
}

/** What the archive and the journal have of a session. */
export interface SessionParts {
  readonly chunks: readonly number[]
  readonly tail: readonly Stored<Entry>[]
  /** Absent if only the archive has it. */
  readonly spec: Stored<SessionSpec> | undefined
  readonly status: SessionStatus
  readonly outcome: ReportStatus | null
}

interface Session {
  status: SessionStatus
  outcome: ReportStatus | null
  chunks: (readonly [number, number])[]
  tail: Stored<Entry>[]
  spec: Stored<SessionSpec> | undefined
  /** Its spec has to be written. */
  isNew: boolean
  /** No write has contained it. */
  isUnknown: boolean
}

/** At most 1 MB, even if most characters take three bytes. */
const chunkLimit = 320 << 10
/**
 * Shorter chunks are merged with the next entries if these are at least half as long, so that a session with many short lives does not
 * have many chunks, and a running tree that archives its record again and again does not write everything each time.
 */
const mergeLimit = 64 << 10

export class Archive {
  readonly #sessions = new Map<string, Session>()
  /** Entries whose item is not complete yet. A life that was lost does not complete it. */
  readonly #parts = new Map<string, Stored<Entry>[]>()
  readonly #removed: number[] = []
  /** The chunks that this invocation has written: the server may not have applied them yet. */
  readonly written = new Map<number, string>()
  /** How many characters this invocation has moved between its journal and the archive. */
  bytes = 0
  #version: number
  #next: number
  #hasLife = false
  /** See `isOld`. */
  #isOld = false

  constructor(head: ArchiveHead | null) {
    this.#version = head?.version ?? 0
    this.#next = head?.next ?? 0
    for (const [id, { status, outcome, chunks }] of Object.entries(head?.sessions ?? {}))
      this.#sessions.set(id, {
        status,
        outcome,
        chunks: [...chunks],
        tail: [],
        spec: undefined,
        isNew: false,
        isUnknown: false,
      })
  }

  get version(): number {
    return this.#version
  }

  /** Older code began the invocation. A replay must repeat its commands. */
  get isOld(): boolean {
    return this.#isOld
  }

  ids(): readonly string[] {
    return [...this.#sessions.keys()]
  }

  parts(id: string): SessionParts | undefined {
    const session = this.#sessions.get(id)
    if (session === undefined) return undefined
    const { tail, spec, status, outcome } = session
    return { chunks: session.chunks.map(([chunk]) => chunk), tail: [...tail], spec, status, outcome }
  }

  /** Returns true if the item opens a session that the archive does not have. */
  apply(item: PackedItem): boolean {
    if (item.t === 'open') {
      const known = this.#sessions.get(item.id)
      const session = known ?? { chunks: [], tail: [], isUnknown: true }
      this.#sessions.set(item.id, {
        ...session,
        status: 'active',
        outcome: null,
        spec: item.spec,
        isNew: true,
      })
      return known === undefined
    }
    if (item.t === 'life') {
      this.#parts.clear()
      if (!this.#hasLife) this.#isOld = item.format === undefined
      this.#hasLife = true
    }
    if (item.t === 'part') this.#parts.set(item.id, [...(this.#parts.get(item.id) ?? []), ...item.entries])
    if (item.t !== 'add' && item.t !== 'end' && item.t !== 'edit') return false
    const session = this.#sessions.get(item.id)
    if (session === undefined) throw new Error(`unreachable: ${item.id} is not in the log`)
    if (item.t === 'add')
      for (const entry of [...this.#partsOf(item.id), ...item.entries]) session.tail.push(entry)
    else if (item.t === 'end') Object.assign(session, { status: item.status, outcome: item.outcome })
    else {
      this.#removed.push(...session.chunks.map(([chunk]) => chunk))
      session.chunks = []
      session.tail = [...this.#partsOf(item.id), ...item.entries]
      if (item.spec !== null) Object.assign(session, { spec: item.spec, isNew: true })
    }
    return false
  }

  #partsOf(id: string): readonly Stored<Entry>[] {
    const parts = this.#parts.get(id) ?? []
    this.#parts.delete(id)
    return parts
  }

  /** Writes everything that the journal has added since the last write. Returns the sessions that no earlier write contained. */
  async write(to: ArchiveWriter): Promise<readonly string[]> {
    const state = this.#counting(to)
    const added: string[] = []
    for (const [id, session] of this.#sessions) {
      if (session.isNew && session.spec !== undefined) state.set(specKey(id), jsonOf(session.spec))
      session.isNew = false
      if (session.isUnknown) added.push(id)
      session.isUnknown = false
      if (session.tail.length > 0) await this.#writeTail(session, state)
    }
    this.#version += 1
    const sessions = Object.fromEntries(
      [...this.#sessions].map(([id, { status, outcome, chunks }]) => [id, { status, outcome, chunks }]),
    )
    const head: ArchiveHead = { version: this.#version, next: this.#next, sessions }
    state.set(headKey, JSON.stringify(head))
    for (const chunk of this.#removed.splice(0)) {
      state.clear(chunkKey(chunk))
      this.written.delete(chunk)
    }
    return added
  }

  /** The journal contains what is written and read, too. */
  #counting(state: ArchiveWriter): ArchiveWriter {
    return {
      set: (key, json) => {
        this.bytes += json.length
        state.set(key, json)
      },
      clear: (key) => state.clear(key),
      get: async (key) => {
        const json = await state.get(key)
        this.bytes += json?.length ?? 0
        return json
      },
    }
  }

  async #writeTail(session: Session, state: ArchiveWriter): Promise<void> {
    const texts = session.tail.map(jsonOf)
    session.tail = []
    let added = texts.reduce((sum, text) => sum + text.length, 0)
    for (;;) {
      const [last, size] = session.chunks.at(-1) ?? []
      if (last === undefined || size === undefined || size >= mergeLimit) break
      if (!this.#isOld && size > 2 * added) break
      const before = this.written.get(last) ?? (await state.get(chunkKey(last))) ?? '[]'
      session.chunks.pop()
      this.#removed.push(last)
      added += size
      if (before !== '[]') texts.unshift(before.slice(1, -1))
      if (this.#isOld) break
    }
    let chunk: string[] = []
    let length = 0
    const flush = () => {
      if (chunk.length === 0) return
      const json = `[${chunk.join()}]`
      const number = this.#next++
      state.set(chunkKey(number), json)
      this.written.set(number, json)
      session.chunks.push([number, json.length])
      chunk = []
      length = 0
    }
    for (const text of texts) {
      if (length + text.length > chunkLimit) flush()
      chunk.push(text)
      length += text.length
    }
    flush()
  }
}
