import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { hasCode, isSameStamp, ownerOnly, type Stamp, stampOf, statsAt } from '@cadre/disk'
import { absentState, type FileState } from './file-state.ts'
import type { PathStats } from './path-stats.ts'
import type { IndexedFile } from './stat-index.ts'

interface Known {
  readonly state: FileState
  readonly stamp: Stamp
  /** When the check started, in milliseconds since 1970. */
  readonly seen: number
  /** Undefined until this process has checked it. */
  readonly look?: PathStats
}

/** A file in compact JSON, because there are many. Only its path: it was deleted. */
type Row =
  | readonly [path: string, state: FileState, is: string, changed: number, seen: number]
  | readonly [path: string]

/** A line of the file. The first line contains all files, each later line only changes. */
interface Line {
  readonly format: number
  readonly generation: number
  readonly rows: readonly Row[]
}

const format = 2

/** The state of a folder at the last scan. It is an index: without it, Cadre scans everything again. */
export class FolderSnapshot {
  readonly #file: string
  #known = new Map<string, Known>()
  #read: Stamp | undefined
  readonly #changed = new Set<string>()
  /** The number of rows in the file, including repeated ones. */
  #rows = 0
  /** Incremented with each write. */
  generation = 0

  constructor(file: string) {
    this.#file = file
  }

  get isEmpty(): boolean {
    return this.#known.size === 0
  }

  /** Reads it again if another process has written it. */
  load(): void {
    const stamp = stampOf(statsAt(this.#file))
    if (this.#read?.is === stamp.is) return
    this.#known = new Map()
    this.generation = 0
    this.#changed.clear()
    this.#rows = 0
    this.#read = stamp
    let text: string
    try {
      text = readFileSync(this.#file, 'utf8')
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return
      throw error
    }
    for (const line of text.split('\n')) if (line !== '' && !this.#take(line)) return
  }

  /** Returns false if the line is torn, so nothing follows. */
  #take(text: string): boolean {
    try {
      const { format: storedFormat, generation, rows } = JSON.parse(text) as Line
      if (storedFormat !== format) return false
      for (const row of rows)
        if (row.length === 1) this.#known.delete(row[0])
        else this.#known.set(row[0], { state: row[1], stamp: { is: row[2], changed: row[3] }, seen: row[4] })
      this.generation = generation
      this.#rows += rows.length
      return true
    } catch {
      this.#rows = Number.POSITIVE_INFINITY
      return false
    }
  }

  save(): void {
    if (this.#changed.size === 0) return
    this.generation++
    const isAppended = this.#rows > 0 && this.#rows + this.#changed.size <= this.#known.size * 1.5 + 100
    const names = isAppended ? this.#changed : this.#known.keys()
    const rows: Row[] = []
    for (const path of names) rows.push(this.#rowOf(path))
    const line: Line = { format, generation: this.generation, rows }
    const text = `${JSON.stringify(line)}\n`
    if (isAppended) appendFileSync(this.#file, text)
    else {
      const draft = `${this.#file}.${process.pid}.tmp`
      writeFileSync(draft, text, { mode: ownerOnly })
      renameSync(draft, this.#file)
      this.#rows = 0
    }
    this.#rows += rows.length
    this.#read = stampOf(statsAt(this.#file))
    this.#changed.clear()
  }

  #rowOf(path: string): Row {
    const known = this.#known.get(path)
    if (known === undefined) return [path]
    const { state, stamp, seen } = known
    return [path, state, stamp.is, stamp.changed, seen]
  }

  /** Discards unsaved changes. */
  drop(): void {
    this.#read = undefined
  }

  paths(): IterableIterator<string> {
    return this.#known.keys()
  }

  stateOf(path: string): FileState {
    return this.#known.get(path)?.state ?? absentState
  }

  /** True if the current state is certainly that of the last scan. */
  isSame(path: string, { stamp }: PathStats): boolean {
    const known = this.#known.get(path)
    return known !== undefined && isSameStamp(known.stamp, known.seen, stamp)
  }

  /** The last check of a file by this process. */
  lookOf(path: string): PathStats | undefined {
    return this.#known.get(path)?.look
  }

  set(path: string, state: FileState, look: PathStats | undefined, seen: number): void {
    this.#changed.add(path)
    if (look === undefined) this.#known.delete(path)
    else this.#known.set(path, { state, stamp: look.stamp, seen, look })
  }

  /** Remembers a newer check of an unchanged file. Not saved, because it adds nothing. */
  confirm(path: string, look: PathStats, seen: number): void {
    const known = this.#known.get(path)
    if (known !== undefined && known.look !== look) this.#known.set(path, { ...known, seen, look })
  }

  /** Files and links that had been unchanged for this long when this process checked them. */
  indexable(minFileAgeMs: number): IndexedFile[] {
    const found: IndexedFile[] = []
    for (const [path, { look, stamp, seen }] of this.#known)
      if ((look?.kind === 'file' || look?.kind === 'link') && seen - stamp.changed >= minFileAgeMs)
        found.push({ path, look })
    return found
  }

  objects(): Set<string> {
    const all = new Set<string>()
    for (const { state } of this.#known.values()) if (state.kind === 'file') all.add(state.object)
    return all
  }
}
