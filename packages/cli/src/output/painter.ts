/**
 * Owns the lines at the bottom of a terminal. Whoever prints while a painter is at work prints through it.
 *
 * 1. A frame is one write, and holds only the lines that differ from the frame before: nothing flickers.
 * 2. A frame is never as tall as the screen and no line as wide: the terminal never scrolls or wraps on its own.
 * 3. Whatever ends the process, short of a kill, gives the cursor back.
 */
import { cutStyled } from './cut-styled.ts'
import { textWidth } from './text-width.ts'

export interface Screen {
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  write(text: string): unknown
  on(event: 'resize', listener: () => void): unknown
  off(event: 'resize', listener: () => void): unknown
}

export interface Painter {
  /** Replaces the frame. More lines than fit are cut off at the bottom. */
  paint(lines: readonly string[]): void
  /** Prints lines that stay, above the frame. */
  print(text: string): void
  /** Takes the frame away and shows the cursor, until the next `paint`. */
  clear(): void
  /** Leaves the last frame where it is, shows the cursor, and ends the painter. */
  end(): void
  readonly columns: number
  /** How many lines a frame may have. */
  readonly rows: number
}

const hideCursor = '\x1b[?25l'
const showCursor = '\x1b[?25h'
const clearBelow = '\x1b[J'
const clearRight = '\x1b[K'

export function createPainter(screen: Screen, onResize: () => void): Painter {
  let shown: readonly string[] = []
  let hidden = false
  let ended = false
  const columns = () => Math.max(1, (screen.columns || 80) - 1)
  const rows = () => Math.max(1, (screen.rows || 24) - 1)

  const restore = () => {
    if (hidden) screen.write(showCursor)
    hidden = false
  }
  const resized = () => {
    // The terminal has wrapped the old lines anew: go up over all they take now, and start from nothing.
    const width = columns() + 1
    const taken = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(visibleWidth(line) / width)), 0)
    screen.write(`${up(taken)}\r${clearBelow}`)
    shown = []
    onResize()
  }
  screen.on('resize', resized)
  process.on('exit', restore)

  return {
    get columns() {
      return columns()
    },
    get rows() {
      return rows()
    },
    paint(lines) {
      if (ended) return
      const frame = lines.slice(0, rows()).map((line) => cutStyled(line, columns()))
      const text = difference(shown, frame)
      if (text === '') return
      screen.write(hidden ? text : `${hideCursor}${text}`)
      hidden = true
      shown = frame
    },
    print(text) {
      const frame = shown.map((line) => `${line}\n`).join('')
      screen.write(`${up(shown.length)}\r${clearBelow}${text}${text.endsWith('\n') ? '' : '\n'}${frame}`)
    },
    clear() {
      if (shown.length > 0) screen.write(`${up(shown.length)}\r${clearBelow}`)
      shown = []
      restore()
    },
    end() {
      ended = true
      restore()
      screen.off('resize', resized)
      process.off('exit', restore)
    },
  }
}

/** The cursor stands below the last line of `before`, at the left; after this text it stands below the last of `after`. */
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

function visibleWidth(line: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours take no room.
  return textWidth(line.replace(/\x1b\[\d+m/g, ''))
}
