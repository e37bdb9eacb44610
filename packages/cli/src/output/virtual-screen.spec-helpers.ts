import type { Screen } from './painter.ts'
import { textWidth } from './text-width.ts'

/** The part of a terminal that the painter uses. Keeps everything that scrolled out. */
export class VirtualScreen implements Screen {
  columns: number
  rows: number
  cursorHidden = false
  writes = 0
  readonly #lines: string[] = ['']
  readonly #listeners = new Set<() => void>()
  #row = 0
  #column = 0

  constructor(columns: number, rows: number) {
    this.columns = columns
    this.rows = rows
  }

  on(_event: 'resize', listener: () => void): void {
    this.#listeners.add(listener)
  }

  off(_event: 'resize', listener: () => void): void {
    this.#listeners.delete(listener)
  }

  /** Changes the size; the content is rewrapped as in terminals. */
  resize(columns: number, rows: number): void {
    const before = this.#row
    const wrapped: string[] = []
    this.#lines.forEach((line, index) => {
      if (index === before) this.#row = wrapped.length
      const pieces = Math.max(1, Math.ceil(textWidth(line) / columns))
      for (let piece = 0; piece < pieces; piece++)
        wrapped.push(line.slice(piece * columns, (piece + 1) * columns))
    })
    this.#lines.splice(0, this.#lines.length, ...wrapped)
    this.columns = columns
    this.rows = rows
    for (const listener of this.#listeners) listener()
  }

  write(text: string): void {
    this.writes += 1
    let column = this.#column
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is about those.
    for (const [token] of text.matchAll(/\x1b\[\??\d*[A-Za-z]|\n|\r|[^\x1b\n\r]+/g)) {
      if (token === '\r') column = 0
      else if (token === '\n') {
        this.#row += 1
        column = 0
        if (this.#row === this.#lines.length) this.#lines.push('')
      } else if (token.startsWith('\x1b') && token.endsWith('C')) {
        column += Number(token.slice(2, -1)) || 1
        this.#lines[this.#row] = (this.#lines[this.#row] as string).padEnd(column)
      } else if (token.startsWith('\x1b')) this.#obey(token, column)
      else {
        if (textWidth(token) > this.columns - 1 && this.rows < 1000)
          throw new Error(`a line would wrap: ${token}`)
        this.#lines[this.#row] = (this.#lines[this.#row] as string).slice(0, column) + token
        column += token.length
      }
    }
    this.#column = column
  }

  /** The cursor position: the line, and the column. */
  cursor(): { readonly line: string; readonly column: number } {
    return { line: this.#lines[this.#row] as string, column: this.#column }
  }

  /** The visible text, including the scrollback. */
  shown(): string[] {
    const lines = this.#lines.map((line) => line.trimEnd())
    while (lines.at(-1) === '') lines.pop()
    return lines
  }

  #obey(sequence: string, column: number): void {
    const number = Number(sequence.slice(2, -1)) || 1
    if (sequence.startsWith('\x1b[?2026') || sequence.startsWith('\x1b[?2004')) return
    if (sequence === '\x1b[?25l') this.cursorHidden = true
    else if (sequence === '\x1b[?25h') this.cursorHidden = false
    else if (sequence.endsWith('A')) {
      if (this.#lines.length - this.#row + number - 1 > this.rows)
        throw new Error('the cursor would leave the screen')
      this.#row = Math.max(0, this.#row - number)
    } else if (sequence.endsWith('B')) this.#row = Math.min(this.#lines.length - 1, this.#row + number)
    else if (sequence.endsWith('K'))
      this.#lines[this.#row] = (this.#lines[this.#row] as string).slice(0, column)
    else if (sequence.endsWith('J')) {
      this.#lines[this.#row] = (this.#lines[this.#row] as string).slice(0, column)
      this.#lines.length = this.#row + 1
    } else if (!sequence.endsWith('m')) throw new Error(`not understood: ${JSON.stringify(sequence)}`)
  }
}
