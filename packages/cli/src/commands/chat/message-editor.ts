import { graphemesOf, textWidth } from '../../output/text-width.ts'
import type { EnteredLine } from './input.ts'
import type { KeyName } from './key-reader.ts'
import { mentionsIn } from './mentions.ts'
import { cleanTypedText, PastedTexts } from './pasted-texts.ts'

type Origin = 'typed' | 'foreign'

/** A text, and the author of each code unit: `t` the person, `f` anyone else. */
interface Draft {
  readonly text: string
  readonly origins: string
}

const empty: Draft = { text: '', origins: '' }

/**
 * The text that a person is editing, with any number of lines and a cursor. It contains no control characters, and tracks
 * which part the person typed: pasted text, filled-in text and messages of earlier chats mention no files. It does not
 * depend on the screen except for its width.
 */
export class MessageEditor {
  #draft = empty
  /** In code units, always between two characters. */
  #cursor = 0
  readonly #pasted = new PastedTexts()
  readonly #history: Draft[]
  /** The position in the history; below 0 is the new text. */
  #at = -1
  /** The unsent text, while the history is shown. */
  #left = empty

  /** `history`: newest first. */
  constructor(history: readonly string[] = []) {
    this.#history = history.map((text) => draftOf({ text: cleanTypedText(text), mentions: [] }))
  }

  get text(): string {
    return this.#draft.text
  }

  get isEmpty(): boolean {
    return this.text === ''
  }

  /** The text before the cursor. */
  get before(): string {
    return this.text.slice(0, this.#cursor)
  }

  set(text: string, origin: Origin = 'foreign'): void {
    this.#draft = empty
    this.#cursor = 0
    this.#at = -1
    this.insert(text, origin)
  }

  /** Inserts a text from elsewhere before the current text. */
  prefill(text: string): void {
    const end = this.text.length
    this.#cursor = 0
    this.insert(text, 'foreign')
    this.#cursor += end
  }

  /** Inserts earlier lines before the current text, each with its mentions. */
  restore(lines: readonly EnteredLine[]): void {
    const drafts = [...lines.map(draftOf), ...(this.isEmpty ? [] : [this.#draft])]
    this.#draft = {
      text: drafts.map(({ text }) => text).join('\n'),
      origins: drafts.map(({ origins }) => origins).join('t'),
    }
    this.#cursor = this.text.length
  }

  /** Returns the text with pasted texts inserted, and clears the editor. */
  take(): EnteredLine {
    const { text, origins } = this.#draft
    const typed = mentionsIn(text).filter(({ at }) => origins[at] === 't')
    const entered = { text: this.#pasted.putBack(text), mentions: typed.map(({ name }) => name) }
    this.set('')
    return entered
  }

  remember(entered: EnteredLine): void {
    const { text } = entered
    if (text.trim() !== '' && !text.startsWith(' ') && text.length <= 4000 && text !== this.#history[0]?.text)
      this.#history.unshift(draftOf(entered))
  }

  insert(text: string, origin: Origin = 'typed'): void {
    const piece = cleanTypedText(text)
    this.#splice(this.#cursor, this.#cursor, piece, origin)
    this.#cursor += piece.length
  }

  paste(text: string): void {
    this.insert(this.#pasted.show(text), 'foreign')
  }

  /** Replaces the last `length` code units before the cursor. */
  replace(length: number, text: string): void {
    this.#remove(Math.max(0, this.#cursor - length), this.#cursor)
    this.insert(text)
  }

  /** Applies a key to the text. Returns false if it has no effect. */
  press(key: KeyName): boolean {
    switch (key) {
      case 'newline':
        this.insert('\n')
        return true
      case 'backspace':
        this.#remove(this.#previous(), this.#cursor)
        return true
      case 'delete':
        this.#remove(this.#cursor, this.#next())
        return true
      case 'left':
        this.#cursor = this.#previous()
        return true
      case 'right':
        this.#cursor = this.#next()
        return true
      case 'word-left':
        this.#cursor = this.#wordLeft()
        return true
      case 'word-right':
        this.#cursor += /^\s*\S*/.exec(this.text.slice(this.#cursor))?.[0].length ?? 0
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
        this.#remove(this.#cursor, Math.max(this.#lineEnd(), this.#next()))
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

  /** Returns the text in lines of at most `columns`, where the first has `first` columns less, and the cursor position. */
  lines(
    columns: number,
    first: number,
  ): { readonly lines: string[]; readonly row: number; readonly column: number } {
    const lines = ['']
    let width = first
    let at = 0
    let cursor = { row: 0, column: first }
    const room = Math.max(2, columns)
    for (const character of graphemesOf(this.text)) {
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
    if (this.#cursor === this.text.length) {
      if (width >= room) {
        lines.push('')
        width = 0
      }
      cursor = { row: lines.length - 1, column: width }
    }
    return { lines, ...cursor }
  }

  #remove(from: number, to: number): void {
    this.#splice(from, to, '', 'typed')
    this.#cursor = from
  }

  #splice(from: number, to: number, piece: string, origin: Origin): void {
    const { text, origins } = this.#draft
    this.#draft = {
      text: text.slice(0, from) + piece + text.slice(to),
      origins:
        origins.slice(0, from) + (origin === 'typed' ? 't' : 'f').repeat(piece.length) + origins.slice(to),
    }
  }

  #previous(): number {
    return this.#cursor - (graphemesOf(this.before.slice(-40)).at(-1)?.length ?? 0)
  }

  #next(): number {
    return this.#cursor + (graphemesOf(this.text.slice(this.#cursor, this.#cursor + 40))[0]?.length ?? 0)
  }

  #wordLeft(): number {
    return this.#cursor - (/\S*\s*$/.exec(this.before)?.[0].length ?? 0)
  }

  #lineStart(): number {
    return this.before.lastIndexOf('\n') + 1
  }

  #lineEnd(): number {
    const end = this.text.indexOf('\n', this.#cursor)
    return end < 0 ? this.text.length : end
  }

  #moveLine(by: -1 | 1): boolean {
    const start = this.#lineStart()
    const column = this.#cursor - start
    if (by < 0 && start === 0) return false
    if (by > 0 && this.#lineEnd() === this.text.length) return false
    this.#cursor = by < 0 ? start - 1 : this.#lineEnd() + 1
    const from = this.#lineStart()
    this.#cursor = Math.min(from + column, this.#lineEnd())
    return true
  }

  #browse(by: -1 | 1): void {
    const next = this.#at + by
    if (next < -1 || next >= this.#history.length) return
    if (this.#at < 0) this.#left = this.#draft
    this.#draft = next < 0 ? this.#left : (this.#history[next] as Draft)
    this.#cursor = this.text.length
    this.#at = next
  }
}

/** An entered line from the history, with its mentions. */
function draftOf({ text, mentions }: EnteredLine): Draft {
  let origins = 'f'.repeat(text.length)
  for (const { name, at } of mentionsIn(text))
    if (mentions.includes(name)) origins = `${origins.slice(0, at)}t${origins.slice(at + 1)}`
  return { text, origins }
}
