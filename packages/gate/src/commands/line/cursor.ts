import type { Redirect } from './line.ts'

/** Thrown by the reader and caught where reading began: the line uses something that only a shell can do. */
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

/** A place in a line, and the here-documents whose texts follow at the next line break. */
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

  /** Empty behind the end. */
  letter(offset = 0): string {
    return this.source[this.position + offset] ?? ''
  }

  /** Whether a pattern, which has to be sticky, fits here. */
  isAt(pattern: RegExp): boolean {
    pattern.lastIndex = this.position
    return pattern.test(this.source)
  }

  /** What a sticky pattern finds here; the cursor moves behind it. */
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position
    const found = pattern.exec(this.source)
    if (found !== null) this.position += found[0].length
    return found
  }

  /** Blanks, comments, and lines that are joined between two words. To be called where a word could begin. */
  skipBlanks(): void {
    const { source } = this
    const letter = source[this.position]
    if (letter !== ' ' && letter !== '\t' && letter !== '#' && letter !== '\\') return
    this.take(blanks)
    // Within a word it joins two halves; there it is left to a shell.
    if (source.startsWith('\\\n', this.position)) throw new NeedsShell('it continues a word on the next line')
  }

  /** Also line breaks, with the here-documents behind them. */
  skipLines(): void {
    for (this.skipBlanks(); this.letter() === '\n'; this.skipBlanks()) {
      this.position++
      const waiting = this.#waiting
      this.#waiting = []
      for (const { document, redirect } of waiting) redirect.text = this.readLinesUntil(document)
    }
  }

  /** Behind `<<`: a redirect whose text begins behind the next line break. */
  beginHereDocument(stripsTabs: boolean): Redirect {
    this.take(/[ \t]+/y)
    const document = { ...this.readDelimiter(), stripsTabs }
    if (!this.isAt(endOfWord)) throw new NeedsShell('the end of its here-document is unusual')
    const redirect = { fd: 0 as const, kind: 'text' as const, text: '' }
    this.#waiting.push({ document, redirect })
    return redirect
  }

  /** `'END'`, `"END"`, `\END` or `END`. */
  readDelimiter(): { readonly end: string; readonly isQuoted: boolean } {
    const found = this.take(/(['"])(\w+)\1|(\\?)(\w+)/y)
    const [, quote, quoted, backslash, plain] = found ?? needsShell('the end of its here-document is unusual')
    return { end: quoted ?? plain ?? '', isQuoted: quote !== undefined || backslash !== '' }
  }

  /** The lines up to one that is `end`. The cursor stands at their first letter, and then behind the line that ends them. */
  readLinesUntil({ end, isQuoted, stripsTabs }: HereDocument): string {
    let text = ''
    while (!this.isDone) {
      const written = this.take(/[^\n]*/y)?.[0] ?? ''
      const line = stripsTabs ? written.replace(/^\t+/, '') : written
      if (!this.isDone) this.position++
      if (line === end) return text
      if (!isQuoted && /[$`\\]/.test(line)) throw new NeedsShell('it has a here-document with expansion')
      text += `${line}\n`
    }
    throw new NeedsShell('it has a here-document without an end')
  }
}
