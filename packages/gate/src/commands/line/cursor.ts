import type { Redirect } from './line.ts'

/** Thrown by the parser and caught at its entry point: the line uses something that only a shell supports. */
export class NeedsShell extends Error {}

export function needsShell(why: string): never {
  throw new NeedsShell(why)
}

export const endOfWord = /$|[ \t\n;|&()<>]/y
const blanks = /(?:[ \t]+|(?<![^ \t\n])\\\n|#[^\n]*)*/y

interface HereDocument {
  readonly end: string
  readonly isQuoted: boolean
  readonly stripsTabs: boolean
}

/** A position in a line, and the here-documents whose texts follow the next line break. */
export class Cursor {
  readonly source: string
  position = 0
  /** Variables that the line has set so far: `F=src/a.ts; wc -l "$F"`. */
  readonly values = new Map<string, string>()
  #waiting: { readonly document: HereDocument; readonly redirect: { text: string } }[] = []

  constructor(source: string) {
    this.source = source
  }

  get isDone(): boolean {
    return this.position >= this.source.length
  }

  get hasHereDocument(): boolean {
    return this.#waiting.length > 0
  }

  /** Empty past the end. */
  letter(offset = 0): string {
    return this.source[this.position + offset] ?? ''
  }

  /** True if a pattern, which must be sticky, matches here. */
  isAt(pattern: RegExp): boolean {
    pattern.lastIndex = this.position
    return pattern.test(this.source)
  }

  /** Returns the match of a sticky pattern here, and moves past it. */
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position
    const found = pattern.exec(this.source)
    if (found !== null) this.position += found[0].length
    return found
  }

  /** Skips blanks, comments and line continuations between words. Call it only where a word could start. */
  skipBlanks(): void {
    const { source } = this
    const letter = source[this.position]
    if (letter !== ' ' && letter !== '\t' && letter !== '#' && letter !== '\\') return
    this.take(blanks)
    // Inside a word, a continuation joins two parts, which needs a shell.
    if (source.startsWith('\\\n', this.position))
      throw new NeedsShell('the command continues a word on the next line')
  }

  /** Also skips line breaks, and the here-documents after them. */
  skipLines(): void {
    for (this.skipBlanks(); this.letter() === '\n'; this.skipBlanks()) {
      this.position++
      const waiting = this.#waiting
      this.#waiting = []
      for (const { document, redirect } of waiting) redirect.text = this.readLinesUntil(document)
    }
  }

  /** After `<<`: a redirect whose text starts after the next line break. */
  beginHereDocument(stripsTabs: boolean): Redirect {
    this.take(/[ \t]+/y)
    const document = { ...this.readDelimiter(), stripsTabs }
    if (!this.isAt(endOfWord)) throw new NeedsShell('the delimiter of the here-document is unusual')
    const redirect = { fd: 0 as const, kind: 'text' as const, text: '' }
    this.#waiting.push({ document, redirect })
    return redirect
  }

  /** `'END'`, `"END"`, `\END` or `END`. */
  readDelimiter(): { readonly end: string; readonly isQuoted: boolean } {
    const found = this.take(/(['"])(\w+)\1|(\\?)(\w+)/y)
    const [, quote, quoted, backslash, plain] =
      found ?? needsShell('the delimiter of the here-document is unusual')
    return { end: quoted ?? plain ?? '', isQuoted: quote !== undefined || backslash !== '' }
  }

  /** Reads the lines up to one that is `end`. Starts at their first character, and stops after the line with `end`. */
  readLinesUntil({ end, isQuoted, stripsTabs }: HereDocument): string {
    let text = ''
    while (!this.isDone) {
      const written = this.take(/[^\n]*/y)?.[0] ?? ''
      const line = stripsTabs ? written.replace(/^\t+/, '') : written
      if (!this.isDone) this.position++
      if (line === end) return text
      if (!isQuoted && /[$`\\]/.test(line))
        throw new NeedsShell('the command has a here-document with expansion')
      text += `${line}\n`
    }
    throw new NeedsShell('the command has an unterminated here-document')
  }
}
