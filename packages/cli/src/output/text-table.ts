import { fitText, textWidth } from './text-width.ts'

/** Columns as wide as what is in them, two spaces apart. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => textWidth(row[column] ?? ''))))
  return all
    .map(
      (row) =>
        `${row
          .map((cell, column) => fitText(cell, widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}
