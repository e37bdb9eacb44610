/**
 * Owns the lines at the bottom of a terminal. While a painter is active, all output goes through it.
 *
 * 1. A frame is one write, and contains only the lines that changed. Terminals that support it show it atomically:
 *    nothing flickers.
 * 2. A frame is never as tall or as wide as the screen, so the terminal never scrolls or wraps by itself.
 * 3. The cursor is restored however the process ends, except by SIGKILL.
 */

import { textWidth } from './text-width.ts'
import { truncateStyled } from './truncate-styled.ts'

export interface Screen {
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  write(text: string): unknown
  on(event: 'resize', listener: () => void): unknown
  off(event: 'resize', listener: () => void): unknown
}

export interface Painter {
  /**
   * Replaces the frame. Lines that do not fit are cut off at the bottom. `cursor`: its position in the frame, from 0;
   * without it, the cursor is hidden.
   */
  paint(lines: readonly string[], cursor?: Cursor): void
  /** Prints permanent lines above the frame, and replaces the frame if one is given. */
  print(text: string, lines?: readonly string[], cursor?: Cursor): void
  /** Removes the frame and shows the cursor, until the next `paint`. */
  clear(): void
  /** Keeps the last frame, shows the cursor, and ends the painter. */
  end(): void
  readonly columns: number
  /** The maximum number of lines of a frame. */
  readonly rows: number
}

export interface Cursor {
  readonly row: number
  readonly column: number
}

const hideCursor = '\x1b[?25l'
const showCursor = '\x1b[?25h'
const clearBelow = '\x1b[J'
const clearRight = '\x1b[K'
// Synchronized output: terminals that support it show everything between these at once; others ignore them.
const begin = '\x1b[?2026h'
const commit = '\x1b[?2026l'

export function createPainter(screen: Screen, onResize: () => void): Painter {
  let shown: readonly string[] = []
  let hidden = false
  let ended = false
  /** The cursor position, if not below the last line. */
  let at: Cursor | undefined
  const columns = () => Math.max(1, (screen.columns || 80) - 1)
  const rows = () => Math.max(1, (screen.rows || 24) - 1)

  const restore = () => {
    if (hidden) screen.write(showCursor)
    hidden = false
  }
  /** Moves the cursor below the last line. */
  const comeBack = () => {
    const text = at === undefined ? '' : `${down(shown.length - at.row)}\r`
    at = undefined
    return text
  }
  const resized = () => {
    // The terminal has rewrapped the old lines: move up over all of them, and repaint everything.
    const width = columns() + 1
    const height = (lines: readonly string[]) =>
      lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(visibleWidth(line) / width)), 0)
    const taken =
      at === undefined ? height(shown) : height(shown.slice(0, at.row)) + Math.floor(at.column / width)
    at = undefined
    screen.write(`${up(taken)}\r${clearBelow}`)
    shown = []
    onResize()
  }
  screen.on('resize', resized)
  process.on('exit', restore)

  const cut = (lines: readonly string[]) =>
    lines.slice(0, rows()).map((line) => truncateStyled(line, columns()))
  const write = (text: string, cursor: Cursor | undefined) => {
    const place = cursor === undefined ? '' : `${up(shown.length - cursor.row)}\r${right(cursor.column)}`
    at = cursor
    const look = cursor === undefined ? (hidden ? '' : hideCursor) : hidden ? showCursor : ''
    hidden = cursor === undefined
    screen.write(`${begin}${hidden ? look : ''}${text}${place}${hidden ? '' : look}${commit}`)
  }
  const isAt = (cursor: Cursor | undefined) => cursor?.row === at?.row && cursor?.column === at?.column

  return {
    get columns() {
      return columns()
    },
    get rows() {
      return rows()
    },
    paint(lines, wanted) {
      if (ended) return
      const frame = cut(lines)
      const cursor = wanted !== undefined && wanted.row < frame.length ? wanted : undefined
      const isSame = frame.length === shown.length && frame.every((line, index) => line === shown[index])
      if (isSame && isAt(cursor)) return
      const text = comeBack() + difference(shown, frame)
      shown = frame
      write(text, cursor)
    },
    print(text, lines, wanted) {
      const before = `${comeBack()}${up(shown.length)}\r`
      const frame = lines === undefined ? shown : cut(lines)
      // Overwritten line by line, so that nothing is blank in between.
      const all = [...text.replace(/\n$/, '').split('\n'), ...frame]
      const body = all.map((line) => `${line}${clearRight}\n`).join('')
      shown = frame
      if (lines === undefined) screen.write(`${begin}${before}${body}${clearBelow}${commit}`)
      else write(`${before}${body}${clearBelow}`, wanted)
    },
    clear() {
      if (shown.length > 0) screen.write(`${comeBack()}${up(shown.length)}\r${clearBelow}`)
      shown = []
      restore()
    },
    end() {
      ended = true
      const back = comeBack()
      if (back !== '') screen.write(back)
      restore()
      screen.off('resize', resized)
      process.off('exit', restore)
    },
  }
}

/** The cursor is below the last line of `before`, at the left; after this text it is below the last line of `after`. */
function difference(before: readonly string[], after: readonly string[]): string {
  const first = after.findIndex((line, index) => line !== before[index])
  if (first < 0 && after.length === before.length) return ''
  const from = first < 0 ? after.length : first
  let text = `${up(before.length - from)}\r`
  for (let index = from; index < after.length; index++) {
    const same = after[index] === before[index]
    text += same ? '\n' : `${after[index]}${clearRight}\n`
  }
  return after.length < before.length ? text + clearBelow : text
}

function up(lines: number): string {
  return lines > 0 ? `\x1b[${lines}A` : ''
}

function down(lines: number): string {
  return lines > 0 ? `\x1b[${lines}B` : ''
}

function right(columns: number): string {
  return columns > 0 ? `\x1b[${columns}C` : ''
}

function visibleWidth(line: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours take no room.
  return textWidth(line.replace(/\x1b\[\d+m/g, ''))
}
