import type { SessionRow } from '@cadre/api'
import type { RowCell } from '../../store/session-rows.ts'

/** One line of the tree, with the data for rendering and for screen readers. */
export interface FlatRow {
  readonly cell: RowCell
  /** From 1. */
  readonly level: number
  /** Its position among its siblings, starting from 1. */
  readonly position: number
  readonly siblings: number
  /** Absent if there are no sessions below it. */
  readonly isOpen?: boolean
}

export interface FlattenOptions {
  readonly isOpen: (cell: RowCell) => boolean
  /** Keeps only matching rows and the rows above them, and opens those. */
  readonly matches?: ((row: SessionRow) => boolean) | undefined
}

/** The visible lines of the tree, from top to bottom. Not recursive, because trees may be thousands of levels deep. */
export function flatten(roots: readonly RowCell[], { isOpen, matches }: FlattenOptions): FlatRow[] {
  const kept = matches === undefined ? undefined : keptBy(roots, matches)
  const isKept = (cell: RowCell) => kept === undefined || kept.has(cell)
  const flat: FlatRow[] = []
  const stack: { cell: RowCell; level: number; position: number; siblings: number }[] = []
  const push = (cells: readonly RowCell[], level: number) => {
    const visible = cells.filter(isKept)
    for (let at = visible.length - 1; at >= 0; at--)
      stack.push({ cell: visible[at] as RowCell, level, position: at + 1, siblings: visible.length })
  }
  push(roots, 1)
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { cell, level } = next
    if (!hasMore(cell)) {
      flat.push(next)
      continue
    }
    const opened = kept === undefined ? isOpen(cell) : cell.children.some(isKept)
    flat.push({ ...next, isOpen: opened })
    if (opened) push(cell.children, level + 1)
  }
  return flat
}

/** If an entry session's tree is not loaded yet, its row still has the number of sessions below it. */
function hasMore(cell: RowCell): boolean {
  return cell.children.length > 0 || cell.row.peek().subtree.sessions > 1
}

function keptBy(roots: readonly RowCell[], matches: (row: SessionRow) => boolean): ReadonlySet<RowCell> {
  const kept = new Set<RowCell>()
  const all = [...roots]
  for (const cell of all) for (const child of cell.children) all.push(child)
  for (const cell of all.reverse())
    if (matches(cell.row.peek()) || cell.children.some((child) => kept.has(child))) kept.add(cell)
  return kept
}

/** Returns whether a row contains every typed word. `state:waiting` and `agent:lead` match only that field. */
export function rowMatcher(typed: string): ((row: SessionRow) => boolean) | undefined {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return undefined
  return (row) =>
    words.every((word) => {
      const [, field, value = ''] = /^(state|agent|model):(.*)$/.exec(word) ?? []
      if (field === 'state') return `${row.state} ${row.outcome ?? ''}`.includes(value)
      if (field === 'agent') return row.agent.toLowerCase().includes(value)
      if (field === 'model') return (row.model ?? '').toLowerCase().includes(value)
      return [row.id, row.agent, row.work, row.doing, row.model, row.state, row.outcome].some((text) =>
        text?.toLowerCase().includes(word),
      )
    })
}
