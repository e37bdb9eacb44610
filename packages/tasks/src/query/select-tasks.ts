import { compareText, compileCondition, parseDecimal } from './compile-condition.ts'
import { type FieldValue, fieldReader, type TaskRow } from './field-value.ts'
import type { Condition, OrderKey, SelectQuery } from './query.ts'

/** Returns the tasks that a query selects, sorted. */
export function selectTasks(
  rows: readonly TaskRow[],
  query: Pick<SelectQuery, 'where' | 'order' | 'limit'>,
): readonly TaskRow[] {
  const found = tasksWhere(rows, query.where)
  const ordered = query.order.length === 0 ? found : sortRows(found, query.order)
  return query.limit === undefined ? ordered : ordered.slice(0, query.limit)
}

export function tasksWhere(rows: readonly TaskRow[], where: Condition | undefined): readonly TaskRow[] {
  if (where === undefined) return rows
  const test = compileCondition(where)
  return rows.filter((row) => test(row) === true)
}

/** A stable sort. */
function sortRows(rows: readonly TaskRow[], order: readonly OrderKey[]): TaskRow[] {
  const readers = order.map(({ field }) => fieldReader(field.name))
  const keyed = rows.map((row) => ({ row, keys: readers.map((read) => sortKey(read(row))) }))
  keyed.sort((a, b) => {
    for (const [at, { isDescending }] of order.entries()) {
      const compared = compareKeys(a.keys[at] as SortKey, b.keys[at] as SortKey)
      if (compared !== 0) return isDescending ? -compared : compared
    }
    return 0
  })
  return keyed.map(({ row }) => row)
}

type SortKey = readonly [rank: number, value: number | string]

/** Null sorts first, then numbers by value, then text. A total order, so that mixed values sort consistently. */
function sortKey(value: FieldValue): SortKey {
  if (value === null) return [0, 0]
  if (typeof value === 'boolean') return [1, Number(value)]
  const shown = typeof value === 'object' ? value.join(' ') : value
  const number = parseDecimal(shown)
  return number === undefined ? [2, shown] : [1, number]
}

function compareKeys([rankA, a]: SortKey, [rankB, b]: SortKey): number {
  if (rankA !== rankB) return rankA - rankB
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareText(String(a), String(b))
}
