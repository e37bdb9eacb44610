import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { hasCode, isSameStamp, ownerOnly, type Stamp, stampOf, statsAt } from '@cadre/disk'
import { absent, type FileState } from './file-state.ts'
import type { Look } from './look-at.ts'

interface Known {
  readonly state: FileState
  readonly stamp: Stamp
  /** When it was looked at, in milliseconds since 1970. */
  readonly seen: number
}

/** A file as `JSON.stringify` writes it: short, because there are many. */
type Row = readonly [path: string, state: FileState, is: string, changed: number, seen: number]

const format = 1

/** How a folder was when Cadre last looked. It is an index: without it, Cadre looks at everything again. */
export class Picture {
  readonly #file: string
  #known = new Map<string, Known>()
  #read: Stamp | undefined
  #isChanged = false
  /** Rises with each write. */
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
    this.#isChanged = false
    this.#read = stamp
    let text: string
    try {
      text = readFileSync(this.#file, 'utf8')
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return
      throw error
    }
    try {
      const { format: its, generation, rows } = JSON.parse(text) as Stored
      if (its !== format) return
      this.generation = generation
      for (const [path, state, is, changed, seen] of rows)
        this.#known.set(path, { state, stamp: { is, changed }, seen })
    } catch {
      // Torn: it is made anew.
      this.#known = new Map()
    }
  }

  save(): void {
    if (!this.#isChanged) return
    const rows: Row[] = []
    for (const [path, { state, stamp, seen }] of this.#known)
      rows.push([path, state, stamp.is, stamp.changed, seen])
    this.generation++
    const draft = `${this.#file}.${process.pid}.tmp`
    const stored: Stored = { format, generation: this.generation, rows }
    writeFileSync(draft, JSON.stringify(stored), { mode: ownerOnly })
    renameSync(draft, this.#file)
    this.#read = stampOf(statsAt(this.#file))
    this.#isChanged = false
  }

  /** Forgets what was not saved. */
  drop(): void {
    this.#read = undefined
  }

  paths(): IterableIterator<string> {
    return this.#known.keys()
  }

  stateOf(path: string): FileState {
    return this.#known.get(path)?.state ?? absent
  }

  /** Whether what is there now is surely what was there at the last look. */
  isSame(path: string, { stamp }: Look): boolean {
    const known = this.#known.get(path)
    return known !== undefined && isSameStamp(known.stamp, known.seen, stamp)
  }

  set(path: string, state: FileState, look: Look | undefined, seen: number): void {
    this.#isChanged = true
    if (look === undefined) this.#known.delete(path)
    else this.#known.set(path, { state, stamp: look.stamp, seen })
  }

  objects(): Set<string> {
    const all = new Set<string>()
    for (const { state } of this.#known.values()) if (state.kind === 'file') all.add(state.object)
    return all
  }
}

interface Stored {
  readonly format: number
  readonly generation: number
  readonly rows: readonly Row[]
}
