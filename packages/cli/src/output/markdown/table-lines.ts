import type { Style } from '../style.ts'
import { textWidth } from '../text-width.ts'
import { readInline } from './read-inline.ts'
import type { Span } from './styled-span.ts'
import { wrapSpans } from './wrap-spans.ts'

export type ColumnAlignment = 'left' | 'right' | 'center'

/** The narrowest readable column. */
const minWidth = 6

/** The cells of a row. An escaped bar, or one in code, is text. */
export function readCells(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  const cells = inner.match(/(?:\\.|`[^`]*`|[^|\\]|\\$)*(?:\||$)/gs) ?? []
  const texts = cells.map((cell) => cell.replace(/\|$/, '').replaceAll('\\|', '|').trim())
  // The last match is the empty one at the end.
  return texts.slice(0, inner.endsWith('|') ? texts.length : Math.max(1, texts.length - 1))
}

/** Returns the alignments, if this is the delimiter line of a table. */
export function readAlignments(line: string): ColumnAlignment[] | undefined {
  if (!/^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/.test(line) || !line.includes('-')) return undefined
  return readCells(line).map((cell) => {
    if (cell.startsWith(':') && cell.endsWith(':')) return 'center'
    return cell.endsWith(':') ? 'right' : 'left'
  })
}

/** A table that is at most `columns` wide: long cells are wrapped, and a table with too many columns becomes a list. */
export function tableLines(
  rows: readonly (readonly string[])[],
  aligns: readonly ColumnAlignment[],
  columns: number,
  style: Style,
): string[] {
  const count = Math.max(1, aligns.length)
  const cells = rows.map((row) => Array.from({ length: count }, (_, index) => readInline(row[index] ?? '')))
  const room = columns - 3 * (count - 1)
  const wanted = Array.from({ length: count }, (_, index) =>
    Math.max(1, ...cells.map((row) => widthOf(row[index] ?? []))),
  )
  const widths = fit(wanted, room)
  if (widths === undefined) return listCells(cells, columns, style)
  const [head = [], ...body] = cells
  const rule = style.dim(widths.map((width) => '─'.repeat(width)).join('─┼─'))
  const bold = head.map((spans) =>
    spans.map(({ text, marks }) => ({ text, marks: [...marks, 'bold' as const] })),
  )
  return [
    ...rowLines(bold, widths, aligns, style),
    rule,
    ...body.flatMap((row) => rowLines(row, widths, aligns, style)),
  ]
}

function widthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + textWidth(text), 0)
}

/** Shrinks the widest columns until all fit. */
function fit(wanted: readonly number[], room: number): number[] | undefined {
  const widths = [...wanted]
  let over = widths.reduce((sum, width) => sum + width, 0) - room
  while (over > 0) {
    const widest = Math.max(...widths)
    if (widest <= minWidth) return undefined
    const next = Math.max(minWidth, ...widths.filter((width) => width < widest))
    const largest = widths.flatMap((width, index) => (width === widest ? [index] : []))
    const step = Math.min(widest - next, Math.max(1, Math.ceil(over / largest.length)))
    for (const index of largest) {
      if (over <= 0) break
      widths[index] = widest - step
      over -= step
    }
  }
  return widths
}

function rowLines(
  row: readonly (readonly Span[])[],
  widths: readonly number[],
  aligns: readonly ColumnAlignment[],
  style: Style,
): string[] {
  const wrapped = row.map((spans, index) => wrapSpans(spans, widths[index] as number, style))
  const height = Math.max(1, ...wrapped.map((lines) => lines.length))
  return Array.from({ length: height }, (_, at) =>
    wrapped
      .map((lines, index) => pad(lines[at] ?? '', widths[index] as number, aligns[index] ?? 'left'))
      .join(style.dim(' │ '))
      .trimEnd(),
  )
}

function pad(painted: string, width: number, align: ColumnAlignment): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours take no room.
  const left = Math.max(0, width - textWidth(painted.replace(/\x1b\[\d+m/g, '')))
  if (align === 'right') return ' '.repeat(left) + painted
  const before = align === 'center' ? Math.floor(left / 2) : 0
  return ' '.repeat(before) + painted + ' '.repeat(left - before)
}

/** Without space for columns: each row as a list of its cells with their headings. */
function listCells(cells: readonly (readonly Span[][])[], columns: number, style: Style): string[] {
  const [head = [], ...body] = cells
  return body.flatMap((row, number) => [
    ...(number === 0 ? [] : [style.dim('─'.repeat(Math.min(columns, 20)))]),
    ...row.flatMap((spans, index) => {
      const label = (head[index] ?? []).map(({ text, marks }) => ({
        text,
        marks: [...marks, 'bold' as const],
      }))
      return wrapSpans([...label, { text: ': ', marks: [] }, ...spans], columns, style)
    }),
  ])
}
