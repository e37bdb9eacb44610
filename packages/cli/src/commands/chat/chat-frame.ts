import { cleanLine } from '../../output/clean-text.ts'
import type { Cursor } from '../../output/painter.ts'
import type { Style } from '../../output/style.ts'
import { textWidth, truncateText } from '../../output/text-width.ts'
import { MessageEditor } from './message-editor.ts'

export interface WaitingLine {
  readonly text: string
  /** What happens with it, such as `sent with the next round`. */
  readonly next: string
}

export interface FrameParts {
  readonly columns: number
  readonly rows: number
  readonly style: Style
  /** The recipient of the line. */
  readonly who: string
  readonly editor: MessageEditor
  /** Lines that are not delivered yet. */
  readonly waiting: readonly WaitingLine[]
  readonly menu: readonly string[]
  readonly status: string
  /** The running turn, in at most this many lines. */
  readonly turn: (max: number) => string[]
}

export interface Frame {
  readonly lines: string[]
  readonly cursor: Cursor
}

const maxQueuedLines = 3

/** The lines at the bottom, as far as they fit: the turn, pending lines, the input line, suggestions, the status line. */
export function chatFrame({
  columns,
  rows,
  style,
  who,
  editor,
  waiting,
  menu,
  status,
  turn,
}: FrameParts): Frame {
  const prompt = `${who}> `
  const input = editor.lines(columns, textWidth(prompt))
  const max = Math.max(1, Math.floor(rows / 3))
  const from = Math.max(0, Math.min(input.row - max + 1, input.lines.length - max))
  const typed = input.lines.slice(from, from + max)
  const shown =
    from === 0 ? typed.map((line, index) => (index === 0 ? style.bold(prompt) + line : line)) : typed
  const below = [...menu, ...(rows > 6 ? [status] : [])]
  const rule = rows > 10 ? [style.dim('─'.repeat(columns))] : []
  const queued = waiting
    .slice(-maxQueuedLines)
    .map(({ text, next }) => style.dim(truncateText(`↳ ${cleanLine(text)} (${next})`, columns)))
  const fixed = rule.length + shown.length + below.length + queued.length
  const above = [...turn(Math.max(1, rows - fixed)), ...queued, ...rule]
  return {
    lines: [...above, ...shown, ...below],
    cursor: { row: above.length + input.row - from, column: input.column },
  }
}

/** An entered line, as it stays on the screen. */
export function echoLines(text: string, who: string, columns: number, style: Style): string[] {
  const copy = new MessageEditor()
  copy.set(text.length > 4000 ? `${text.slice(0, 4000)}…` : text)
  const prompt = `${who}> `
  const [first = '', ...rest] = copy.lines(columns, textWidth(prompt)).lines
  return [style.bold(prompt) + first, ...rest]
}
