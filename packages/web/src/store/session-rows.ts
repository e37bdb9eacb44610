/**
 * The session rows that the page shows.
 *
 * 1. A row replaces the row with the same id; a row that is not newer (`seq`) is ignored, so answers and the stream may overlap.
 * 2. Changes are applied together, once per scheduled flush, so that 500 changes per second need only one rendering per frame.
 * 3. Only entry sessions and opened trees are kept. Rows of other trees are ignored: the entry session's row contains their totals.
 */
import type { SessionRow } from '@cadre/api'
import { batch, type Signal, signal } from '@preact/signals'

export interface RowCell {
  readonly id: string
  readonly row: Signal<SessionRow>
  /** In the order in which they were created. */
  readonly children: RowCell[]
  parent: RowCell | undefined
}

export interface SessionRowsOptions {
  /** Schedules one flush. In a browser, it runs before the next frame. */
  readonly schedule: (flush: () => void) => void
}

export class SessionRows {
  /** Changes whenever rows are added, removed or moved. */
  readonly structure = signal(0)
  /** New entry sessions that are not listed while the list is frozen. */
  readonly held = signal(0)
  readonly #schedule: SessionRowsOptions['schedule']
  readonly #cells = new Map<string, RowCell>()
  readonly #trees = new Map<string, number>()
  /** Rows whose parents have not arrived yet, by the parent's id. */
  readonly #orphans = new Map<string, RowCell[]>()
  #roots: RowCell[] = []
  #heldRoots: RowCell[] = []
  #isFrozen = false
  #changed = new Map<string, SessionRow>()
  #removed = new Set<string>()
  /** Entry sessions that the person has requested since the last flush. */
  #wanted = new Set<string>()
  #isScheduled = false

  constructor({ schedule }: SessionRowsOptions) {
    this.#schedule = schedule
  }

  /** Entry sessions, newest first when they were loaded. */
  get roots(): readonly RowCell[] {
    return this.#roots
  }

  get(id: string): RowCell | undefined {
    return this.#cells.get(id)
  }

  get size(): number {
    return this.#cells.size
  }

  /** Starts to keep this tree's rows. For each call, call `closeTree` once. */
  openTree(root: string): void {
    this.#trees.set(root, (this.#trees.get(root) ?? 0) + 1)
  }

  closeTree(root: string): void {
    const count = (this.#trees.get(root) ?? 0) - 1
    if (count > 0) this.#trees.set(root, count)
    else if (this.#trees.delete(root)) {
      for (const cell of this.#descendants(root)) this.#cells.delete(cell.id)
      this.#cells.get(root)?.children.splice(0)
      this.structure.value += 1
    }
  }

  get openTrees(): readonly string[] {
    return [...this.#trees.keys()]
  }

  put(row: SessionRow): void {
    const known = this.#changed.get(row.id) ?? this.#cells.get(row.id)?.row.peek()
    if (known !== undefined && row.seq <= known.seq) return
    if (known === undefined && row.parent !== undefined && !this.#trees.has(row.root)) return
    this.#removed.delete(row.id)
    this.#changed.set(row.id, row)
    this.#plan()
  }

  /** Adds a row that the person requested by scrolling or filtering. It is listed even while the list is frozen. */
  show(row: SessionRow): void {
    this.put(row)
    this.#wanted.add(row.id)
    this.#plan()
  }

  remove(id: string): void {
    this.#changed.delete(id)
    this.#removed.add(id)
    this.#plan()
  }

  /** Removes everything before a reload. */
  clear(): void {
    this.#cells.clear()
    this.#orphans.clear()
    this.#changed.clear()
    this.#removed.clear()
    this.#wanted.clear()
    this.#roots = []
    this.#heldRoots = []
    batch(() => {
      this.structure.value += 1
      this.held.value = 0
    })
  }

  /** While the list is frozen, new entry sessions are only counted, so that nothing moves under the pointer. */
  freeze(isFrozen: boolean): void {
    this.#isFrozen = isFrozen
  }

  /** Lists the new entry sessions that are not listed yet. */
  release(): void {
    if (this.#heldRoots.length === 0) return
    for (const cell of this.#heldRoots) this.#insertRoot(cell)
    this.#heldRoots = []
    batch(() => {
      this.structure.value += 1
      this.held.value = 0
    })
  }

  /** Applies the changes that have arrived. */
  flush(): void {
    this.#isScheduled = false
    const [changed, removed, wanted] = [this.#changed, this.#removed, this.#wanted]
    this.#changed = new Map()
    this.#removed = new Set()
    this.#wanted = new Set()
    batch(() => {
      let moved = false
      for (const row of changed.values()) moved = this.#apply(row) || moved
      for (const id of removed) moved = this.#drop(id) || moved
      if (wanted.size > 0) moved = this.#list(wanted) || moved
      if (moved) this.structure.value += 1
      this.held.value = this.#heldRoots.length
    })
  }

  #plan(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#schedule(() => this.flush())
  }

  #apply(row: SessionRow): boolean {
    const known = this.#cells.get(row.id)
    if (known !== undefined) {
      known.row.value = row
      return false
    }
    // The tree may have been closed since the row arrived.
    if (row.parent !== undefined && !this.#trees.has(row.root)) return false
    const cell: RowCell = { id: row.id, row: signal(row), children: [], parent: undefined }
    this.#cells.set(row.id, cell)
    this.#place(cell)
    this.#adopt(cell)
    return true
  }

  #place(cell: RowCell): void {
    const { parent, id } = cell.row.peek()
    const above = parent === undefined || parent === id ? undefined : this.#cells.get(parent)
    if (above !== undefined) {
      cell.parent = above
      insert(above.children, cell)
    } else if (parent !== undefined) this.#orphans.set(parent, [...(this.#orphans.get(parent) ?? []), cell])
    else if (this.#isFrozen && !this.#isOldest(cell)) this.#heldRoots.push(cell)
    else this.#insertRoot(cell)
  }

  /** Lists these entry sessions. */
  #list(ids: ReadonlySet<string>): boolean {
    const found = this.#heldRoots.filter(({ id }) => ids.has(id))
    if (found.length === 0) return false
    this.#heldRoots = this.#heldRoots.filter(({ id }) => !ids.has(id))
    for (const cell of found) this.#insertRoot(cell)
    return true
  }

  /** A row from the next page is added at the end, so that no other row moves. */
  #isOldest(cell: RowCell): boolean {
    const last = this.#roots.at(-1)
    return last !== undefined && cell.row.peek().created <= last.row.peek().created
  }

  /** Newest first. */
  #insertRoot(cell: RowCell): void {
    const { created } = cell.row.peek()
    let at = this.#roots.length
    while (at > 0 && (this.#roots[at - 1] as RowCell).row.peek().created < created) at -= 1
    this.#roots.splice(at, 0, cell)
  }

  /** Children may arrive before their parents. */
  #adopt(cell: RowCell): void {
    for (const child of this.#orphans.get(cell.id) ?? [])
      if (this.#cells.get(child.id) === child) {
        child.parent = cell
        insert(cell.children, child)
      }
    this.#orphans.delete(cell.id)
  }

  #drop(id: string): boolean {
    const cell = this.#cells.get(id)
    if (cell === undefined) return false
    for (const below of this.#descendants(id)) this.#cells.delete(below.id)
    this.#cells.delete(id)
    const siblings = cell.parent?.children ?? this.#roots
    const at = siblings.indexOf(cell)
    if (at >= 0) siblings.splice(at, 1)
    this.#heldRoots = this.#heldRoots.filter((held) => held !== cell)
    return true
  }

  #descendants(id: string): RowCell[] {
    const all = [...(this.#cells.get(id)?.children ?? [])]
    for (const cell of all) all.push(...cell.children)
    return all
  }
}

function insert(siblings: RowCell[], cell: RowCell): void {
  const { created } = cell.row.peek()
  let at = siblings.length
  while (at > 0 && (siblings[at - 1] as RowCell).row.peek().created > created) at -= 1
  siblings.splice(at, 0, cell)
}
