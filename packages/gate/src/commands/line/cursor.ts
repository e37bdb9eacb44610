/** Thrown by the reader and caught where reading began: the line uses something that only a shell can do. */
export class NeedsShell extends Error {}

interface HereDocument {
  readonly end: string
  readonly isQuoted: boolean
  readonly stripsTabs: boolean
  readonly give: (text: string) => void
}

/** A place in a line, and the here-documents whose texts follow at the next line break. */
export class Cursor {
  readonly source: string
  position = 0
  /** Variables that the line has set so far: `F=src/a.ts; wc -l "$F"`. */
  readonly values = new Map<string, string>()
  #waiting: HereDocument[] = []

  constructor(source: string) {
    this.source = source
  }

  get isDone(): boolean {
    return this.position >= this.source.length
  }

  /** Empty behind the end. */
  letter(offset = 0): string {
    return this.source[this.position + offset] ?? ''
  }

  skip(count: number): void {
    this.position += count
  }

  get isAtArrow(): boolean {
    return this.letter() === '<' || this.letter() === '>'
  }

  /** Whether no further word of the same command can follow. */
  get isAtEndOfCommand(): boolean {
    return this.isDone || '\n;|&()'.includes(this.letter())
  }

  isEndOfWord(offset: number): boolean {
    const letter = this.letter(offset)
    return letter === '' || ' \t\n;|&()<>'.includes(letter)
  }

  skipSpaces(): void {
    while (this.letter() === ' ' || this.letter() === '\t') this.position++
  }

  /** Blanks, comments, and lines that are joined between two words. To be called where a word could begin. */
  skipBlanks(): void {
    for (;;) {
      this.skipSpaces()
      if (this.letter() === '\\' && this.letter(1) === '\n') {
        // Within a word it joins two halves; there it is left to a shell.
        const before = this.source[this.position - 1] ?? ' '
        if (!' \t\n'.includes(before)) throw new NeedsShell('it joins two lines within a word')
        this.skip(2)
      } else if (this.letter() === '#') {
        const end = this.source.indexOf('\n', this.position)
        this.position = end < 0 ? this.source.length : end
      } else return
    }
  }

  skipLines(): void {
    for (this.skipBlanks(); this.letter() === '\n'; this.skipBlanks()) this.#endLine()
  }

  requireNoHereDocument(): void {
    if (this.#waiting.length > 0) throw new NeedsShell('it has a here-document without an end')
  }

  /** Behind `<<`: the word that ends it. Its text begins behind the next line break. */
  beginHereDocument(stripsTabs: boolean, give: (text: string) => void): void {
    this.skipSpaces()
    const { end, isQuoted } = this.readDelimiter()
    if (!this.isEndOfWord(0)) throw new NeedsShell('the end of its here-document is unusual')
    this.#waiting.push({ end, isQuoted, stripsTabs, give })
  }

  /** `'END'`, `"END"`, `\END` or `END`. */
  readDelimiter(): { readonly end: string; readonly isQuoted: boolean } {
    const quote = this.letter()
    const isEscaped = quote === '\\'
    const isQuoted = quote === "'" || quote === '"'
    if (isQuoted || isEscaped) this.skip(1)
    const start = this.position
    while (/\w/.test(this.letter())) this.skip(1)
    const end = this.source.slice(start, this.position)
    if (end === '' || (isQuoted && this.letter() !== quote))
      throw new NeedsShell('the end of its here-document is unusual')
    if (isQuoted) this.skip(1)
    return { end, isQuoted: isQuoted || isEscaped }
  }

  /** The lines up to one that is `end`. The cursor stands at their first letter, and then behind the line that ends them. */
  readLinesUntil({ end, isQuoted, stripsTabs }: Omit<HereDocument, 'give'>): string {
    const lines: string[] = []
    while (!this.isDone) {
      const found = this.source.indexOf('\n', this.position)
      const stop = found < 0 ? this.source.length : found
      const written = this.source.slice(this.position, stop)
      const line = stripsTabs ? written.replace(/^\t+/, '') : written
      this.position = Math.min(stop + 1, this.source.length)
      if (line === end) return lines.map((one) => `${one}\n`).join('')
      if (!isQuoted && /[$`\\]/.test(line)) throw new NeedsShell('it has a here-document that is expanded')
      lines.push(line)
    }
    throw new NeedsShell('it has a here-document without an end')
  }

  get hasHereDocument(): boolean {
    return this.#waiting.length > 0
  }

  #endLine(): void {
    this.skip(1)
    const waiting = this.#waiting
    this.#waiting = []
    for (const document of waiting) document.give(this.readLinesUntil(document))
  }
}
