import { graphemesOf, textWidth } from '../../output/text-width.ts'
import type { KeyName } from './key-reader.ts'
import { cleanTyped, Pasted } from './pasted.ts'

/**
 * The text that a person is writing, of any number of lines, with a cursor in it. It holds nothing that a terminal would act upon.
 * Knows nothing of the screen except for how wide it is.
 */
export class Editor {
  #text = ''
  /** In code units, always between two characters. */
  #cursor = 0
  readonly #pasted = new Pasted()
  readonly #history: string[]
  /** Where in the history it stands; below 0 is what is being written. */
  #at = -1
  #draft = ''

  /** `history`: the newest first. */
  constructor(history: readonly string[] = []) {
    this.#history = [...history]
  }

  get text(): string {
    return this.#text
  }

  get isEmpty(): boolean {
    return this.#text === ''
  }

  /** The text before the cursor. */
  get before(): string {
    return this.#text.slice(0, this.#cursor)
  }

  set(text: string): void {
    this.#text = cleanTyped(text)
    this.#cursor = this.#text.length
    this.#at = -1
  }

  /** Gives the text with pasted texts in their places, and is empty then. */
  take(): string {
    const text = this.#pasted.putBack(this.#text)
    this.set('')
    return text
  }

  remember(text: string): void {
    if (text.trim() !== '' && !text.startsWith(' ') && text.length <= 4000 && text !== this.#history[0])
      this.#history.unshift(text)
  }

  insert(text: string): void {
    const piece = cleanTyped(text)
    this.#text = this.before + piece + this.#text.slice(this.#cursor)
    this.#cursor += piece.length
  }

  paste(text: string): void {
    this.insert(this.#pasted.show(text))
  }

  /** Replaces the last `length` code units before the cursor. */
  replace(length: number, text: string): void {
    const start = Math.max(0, this.#cursor - length)
    this.#text = this.#text.slice(0, start) + this.#text.slice(this.#cursor)
    this.#cursor = start
    this.insert(text)
  }

  /** Does what a key does to the text. False if it does nothing to it. */
  press(key: KeyName): boolean {
    switch (key) {
      case 'newline':
        this.insert('\n')
        return true
      case 'backspace':
        this.#remove(this.#left(), this.#cursor)
        return true
      case 'delete':
        this.#remove(this.#cursor, this.#right())
        return true
      case 'left':
        this.#cursor = this.#left()
        return true
      case 'right':
        this.#cursor = this.#right()
        return true
      case 'word-left':
        this.#cursor = this.#wordLeft()
        return true
      case 'word-right':
        this.#cursor += /^\s*\S*/.exec(this.#text.slice(this.#cursor))?.[0].length ?? 0
        return true
      case 'home':
        this.#cursor = this.#lineStart()
        return true
      case 'end':
        this.#cursor = this.#lineEnd()
        return true
      case 'kill-left':
        this.#remove(this.#lineStart(), this.#cursor)
        return true
      case 'kill-right':
        this.#remove(this.#cursor, Math.max(this.#lineEnd(), this.#right()))
        return true
      case 'kill-word':
        this.#remove(this.#wordLeft(), this.#cursor)
        return true
      case 'up':
        if (!this.#moveLine(-1)) this.#browse(1)
        return true
      case 'down':
        if (!this.#moveLine(1)) this.#browse(-1)
        return true
      default:
        return false
    }
  }

  /** The text in lines of at most `columns`, the first of which has `first` less room, and where the cursor is. */
  lines(
    columns: number,
    first: number,
  ): { readonly lines: string[]; readonly row: number; readonly column: number } {
    const lines = ['']
    let width = first
    let at = 0
    let cursor = { row: 0, column: first }
    const room = Math.max(2, columns)
    for (const character of graphemesOf(this.#text)) {
      const shown = character === '\t' ? '    ' : character
      const wide = character === '\n' ? 0 : textWidth(shown)
      if (width + wide > room) {
        lines.push('')
        width = 0
      }
      if (at === this.#cursor) cursor = { row: lines.length - 1, column: width }
      at += character.length
      if (character === '\n') {
        lines.push('')
        width = 0
        continue
      }
      lines[lines.length - 1] += shown
      width += wide
    }
    if (this.#cursor === this.#text.length) {
      if (width >= room) {
        lines.push('')
        width = 0
      }
      cursor = { row: lines.length - 1, column: width }
    }
    return { lines, ...cursor }
  }

  #remove(from: number, to: number): void {
    this.#text = this.#text.slice(0, from) + this.#text.slice(to)
    this.#cursor = from
  }

  #left(): number {
    return this.#cursor - (graphemesOf(this.before.slice(-40)).at(-1)?.length ?? 0)
  }

  #right(): number {
    return this.#cursor + (graphemesOf(this.#text.slice(this.#cursor, this.#cursor + 40))[0]?.length ?? 0)
  }

  #wordLeft(): number {
    return this.#cursor - (/\S*\s*$/.exec(this.before)?.[0].length ?? 0)
  }

  #lineStart(): number {
    return this.before.lastIndexOf('\n') + 1
  }

  #lineEnd(): number {
    const end = this.#text.indexOf('\n', this.#cursor)
    return end < 0 ? this.#text.length : end
  }

  #moveLine(by: -1 | 1): boolean {
    const start = this.#lineStart()
    const column = this.#cursor - start
    if (by < 0 && start === 0) return false
    if (by > 0 && this.#lineEnd() === this.#text.length) return false
    this.#cursor = by < 0 ? start - 1 : this.#lineEnd() + 1
    const from = this.#lineStart()
    this.#cursor = Math.min(from + column, this.#lineEnd())
    return true
  }

  #browse(by: -1 | 1): void {
    const next = this.#at + by
    if (next < -1 || next >= this.#history.length) return
    if (this.#at < 0) this.#draft = this.#text
    this.set(next < 0 ? this.#draft : (this.#history[next] as string))
    this.#at = next
  }
}
