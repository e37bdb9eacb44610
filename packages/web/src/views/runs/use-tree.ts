import { computed, type ReadonlySignal, useComputed, useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useStore } from '../../store/app-context.ts'
import type { RowCell } from '../../store/session-rows.ts'
import { type FlatRow, flatten, rowMatcher } from './flatten.ts'

/** The number of running trees that are opened automatically, so that a person immediately sees what is happening. */
const openedAtFirst = 4

export interface TreeState {
  readonly flat: ReadonlySignal<readonly FlatRow[]>
  readonly selected: ReadonlySignal<number>
  select(index: number): void
  open(row: FlatRow): void
  close(row: FlatRow): void
}

/** Which branches are open, which row is selected, and the rows of open trees. */
export function useTree(filter: ReadonlySignal<string>): TreeState {
  const store = useStore()
  const { rows } = store
  const opened = useSignal<ReadonlyMap<string, boolean>>(new Map())
  const chosen = useSignal<string | undefined>(undefined)
  const held = useRef(new Map<string, () => void>()).current
  const isOpen = (cell: RowCell) => opened.value.get(cell.id) ?? cell.parent !== undefined
  const flat = useComputed(() => {
    rows.structure.value
    // A filter depends on the content of rows, so it must run again when they change.
    const matches = rowMatcher(filter.value)
    if (matches !== undefined) for (const root of rows.roots) root.row.value
    return flatten(rows.roots, { isOpen, matches })
  })
  const selected = useComputed(() => {
    const at = flat.value.findIndex(({ cell }) => cell.id === chosen.value)
    return Math.max(0, at)
  })
  const set = (id: string, value: boolean) => {
    opened.value = new Map(opened.peek()).set(id, value)
  }
  const hold = (root: string) => {
    if (!held.has(root)) held.set(root, store.openTree(root))
  }
  useEffect(() => () => held.forEach((close) => void close()), [])
  const isReady = useMemo(() => computed(() => store.isReady.value), [])
  useEffect(() => {
    if (!isReady.value || opened.peek().size > 0) return
    const running = rows.roots.filter(
      ({ row }) =>
        (row.peek().state !== 'ended' || rows.roots.length === 1) && row.peek().subtree.sessions > 1,
    )
    for (const { id } of running.slice(0, openedAtFirst)) {
      hold(id)
      set(id, true)
    }
  }, [isReady.value])
  return {
    flat,
    selected,
    select(index) {
      const list = flat.peek()
      chosen.value = list[Math.max(0, Math.min(list.length - 1, index))]?.cell.id
    },
    open({ cell }) {
      if (cell.parent === undefined) hold(cell.id)
      set(cell.id, true)
    },
    close({ cell }) {
      set(cell.id, false)
      // Rows of a closed tree are removed: the entry session's row contains their totals.
      held.get(cell.id)?.()
      held.delete(cell.id)
    },
  }
}
