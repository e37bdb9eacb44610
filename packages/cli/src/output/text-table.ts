import type { Output } from './output.ts'
import { fitText, textWidth } from './text-width.ts'

/** A narrower column is useless. */
const minWidth = 8
const gap = 2

/**
 * Columns as wide as their content, two spaces apart. If that exceeds `columns`, empty columns are omitted, and the widest are
 * cut; the first column is never cut.
 */
export function textTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  columns = Number.POSITIVE_INFINITY,
): string {
  const all = [head, ...rows]
  const wanted = head.map((_, column) => Math.max(...all.map((row) => textWidth(row[column] ?? ''))))
  const isUsed = (_: unknown, column: number) => rows.some((row) => (row[column] ?? '') !== '')
  if (rows.length > 0 && lineWidth(wanted) > columns && !head.every(isUsed))
    return textTable(
      head.filter(isUsed),
      rows.map((row) => row.filter(isUsed)),
      columns,
    )
  const widths = fitColumns(wanted, columns)
  return all
    .map(
      (row) =>
        `${row
          .map((cell, column) => fitText(cell, widths[column] ?? 0))
          .join(' '.repeat(gap))
          .trimEnd()}\n`,
    )
    .join('')
}

/** The width of the terminal; infinite otherwise, so that nothing is cut in a file. */
export function availableWidth({ isTTY, stream }: Output): number {
  return isTTY && stream.columns > 0 ? stream.columns : Number.POSITIVE_INFINITY
}

function fitColumns(wanted: readonly number[], columns: number): number[] {
  const widths = [...wanted]
  let excess = lineWidth(widths) - columns
  while (excess > 0) {
    // Shrinks the widest column to the width of the next; of equal ones the last.
    const widest = Math.max(...widths.slice(1))
    if (!(widest > minWidth)) return widths
    const next = Math.max(minWidth, ...widths.slice(1).filter((width) => width < widest))
    const given = widths.lastIndexOf(widest)
    const less = Math.min(excess, Math.max(1, widest - next))
    widths[given] = widest - less
    excess -= less
  }
  return widths
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, gap * (widths.length - 1))
}
