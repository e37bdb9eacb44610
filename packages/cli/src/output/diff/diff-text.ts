import { cleanLine, cleanText } from '../clean-text.ts'
import { formatCount } from '../numbers.ts'
import type { Style } from '../style.ts'
import { truncateStyled } from '../truncate-styled.ts'
import { type DiffLine, lineDiff } from './line-diff.ts'

/** A text file before and after a change. Absent: the file does not exist. */
export interface FileChange {
  readonly path: string
  readonly before?: string
  readonly after?: string
}

export interface DiffOptions {
  readonly columns: number
  readonly style: Style
  /** The maximum number of lines; the rest is counted. */
  readonly max?: number
  /** Omits and cuts nothing: for approvals. */
  readonly isWhole?: boolean
}

const context = 3
const defaultMaxLines = 60

/** A file change as a unified diff for a terminal: with line numbers and colours, without unchanged parts. */
export function diffText(change: FileChange, options: DiffOptions): string[] {
  const { columns, style, isWhole = false } = options
  const max = isWhole ? Number.POSITIVE_INFINITY : (options.max ?? defaultMaxLines)
  const before = linesOf(change.before)
  const after = linesOf(change.after)
  const lines = lineDiff(before, after)
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  const verb = change.before === undefined ? 'Create' : change.after === undefined ? 'Delete' : 'Edit'
  const sums = [style.green(`+${count('added')}`), style.red(`-${count('removed')}`)].join(' ')
  const digits = String(Math.max(before.length, after.length)).length
  const body = withContext(lines).map((line) => paint(line, digits, style))
  const shown = body.length <= max ? body : body.slice(0, max - 1)
  const rest = body.length - shown.length
  return [
    `${style.bold(`${verb} ${cleanLine(change.path)}`)} ${sums}`,
    ...shown,
    ...(rest > 0 ? [style.dim(`… ${formatCount(rest, 'more line')}`)] : []),
  ].map((line) => (isWhole ? line : truncateStyled(line, columns)))
}

function linesOf(text: string | undefined): string[] {
  if (text === undefined || text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The changed lines with context. `gap`: omitted lines. */
function withContext(lines: readonly DiffLine[]): (DiffLine | 'gap')[] {
  const near = new Uint8Array(lines.length)
  for (const [index, { kind }] of lines.entries())
    if (kind !== 'same') near.fill(1, Math.max(0, index - context), index + context + 1)
  const shown: (DiffLine | 'gap')[] = []
  for (const [index, line] of lines.entries()) {
    if (near[index] === 1) shown.push(line)
    else if (index > 0 && near[index - 1] === 1 && near.indexOf(1, index) >= 0) shown.push('gap')
  }
  return shown
}

function paint(line: DiffLine | 'gap', digits: number, style: Style): string {
  if (line === 'gap') return style.dim(`${' '.repeat(digits)} ⋮`)
  const number = String(line.kind === 'removed' ? line.before : line.after).padStart(digits)
  // A change of only line endings would show the same line twice.
  const text = cleanText(line.text.replace(/\r$/, '␍'))
  if (line.kind === 'same') return `${style.dim(number)}   ${text}`
  const colour = line.kind === 'added' ? style.green : style.red
  return colour(`${number} ${line.kind === 'added' ? '+' : '-'} ${text}`)
}
