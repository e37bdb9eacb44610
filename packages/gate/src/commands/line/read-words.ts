import { type Cursor, NeedsShell } from './cursor.ts'
import type { GlobPart, Word } from './line.ts'

/** A word, and what only matters where it stands. */
export interface WrittenWord {
  readonly word: Word
  /** `CI=1` in front of a program: the name. */
  readonly variable?: string
  /** A lone digit, which an arrow behind it would make a descriptor. */
  readonly descriptor?: number
  readonly hasBraces: boolean
}

type Part =
  | GlobPart
  | { readonly kind: 'choice'; readonly texts: readonly string[] }
  | { readonly kind: 'status' }

const mostChoices = 64

/** Characters without a special meaning. Words of digits only are excluded: they could be file descriptors. */
const plainWord = /(?!\d+(?![\w./@%+,-]))[\w./@%+,-]+/y

/** The word at the cursor; more than one where `{a,b}` stands for several. */
export function readWords(at: Cursor, mayAssign: boolean): readonly WrittenWord[] {
  return plainWordAt(at) ?? new WordReader(at, mayAssign).words()
}

/** A fast path: most words are plain. */
function plainWordAt(at: Cursor): readonly WrittenWord[] | undefined {
  plainWord.lastIndex = at.position
  const text = plainWord.exec(at.source)?.[0]
  if (text === undefined || !at.isEndOfWord(text.length)) return undefined
  at.skip(text.length)
  return [{ word: { text }, hasBraces: false }]
}

class WordReader {
  readonly #at: Cursor
  readonly #parts: Part[] = []
  readonly #mayAssign: boolean
  /** Nothing in it was quoted or escaped. */
  #isBare = true
  #hasBraces = false
  /** Whether a `~` here would be replaced: at the beginning, and behind `=` and `:`. */
  #opensTilde = true
  #variable: string | undefined

  constructor(at: Cursor, mayAssign: boolean) {
    this.#at = at
    this.#mayAssign = mayAssign
  }

  words(): readonly WrittenWord[] {
    const at = this.#at
    const start = at.position
    while (!at.isEndOfWord(0)) this.#next(start)
    const texts = expandChoices(this.#parts)
    const words = texts.map((parts) => wordOf(parts))
    if (this.#variable !== undefined && texts.length > 1)
      throw new NeedsShell('it sets a variable to a choice')
    const [first] = words as [Word]
    return words.map((word) => ({
      word,
      hasBraces: this.#hasBraces,
      ...(this.#variable !== undefined && { variable: this.#variable }),
      ...(words.length === 1 && this.#isBare && word.glob === undefined && this.#descriptor(first.text)),
    }))
  }

  #descriptor(text: string): { readonly descriptor?: number } {
    if (!/^\d+$/.test(text)) return {}
    if (!/^[012]$/.test(text) && this.#at.isAtArrow) throw new NeedsShell('it redirects another descriptor')
    return { descriptor: Number(text) }
  }

  #next(start: number): void {
    const at = this.#at
    const letter = at.letter()
    switch (letter) {
      case "'":
        return void this.#single()
      case '"':
        return void this.#double()
      case '\\':
        if (at.letter(1) === '' || at.letter(1) === '\n')
          throw new NeedsShell('it joins two lines within a word')
        this.#quoted(at.letter(1))
        return void at.skip(2)
      case '$':
        if (this.#value()) return
        if (at.letter(1) !== '?') throw new NeedsShell(describeDollar(at))
        this.#parts.push({ kind: 'status' })
        this.#quoted('')
        return void at.skip(2)
      case '`':
        throw new NeedsShell('it runs a command within a word (backticks)')
      case '*':
      case '?':
        this.#parts.push({ kind: letter === '*' ? 'any' : 'one' })
        this.#opensTilde = false
        return void at.skip(1)
      case '[':
        if (at.position === start && at.isEndOfWord(1)) return void this.#plain(letter)
        return void this.#set()
      case '{':
        return void this.#braces()
      case '}':
        throw new NeedsShell('it has a } of its own')
      case '~':
        if (this.#opensTilde) throw new NeedsShell('it uses ~')
        return void this.#plain(letter)
      default:
        return void this.#plain(letter)
    }
  }

  #plain(letter: string): void {
    if (letter === '=' && this.#mayAssign && this.#isBare && this.#variable === undefined) this.#assign()
    this.#text(letter)
    // Bash replaces the ~ of `a=~` and `a:~` in words that look like assignments.
    this.#opensTilde = letter === '=' || letter === ':'
    this.#at.skip(1)
  }

  #assign(): void {
    if (this.#parts.length !== 1) return
    const [part] = this.#parts as [Part]
    if (part.kind !== 'text') return
    if (/^[A-Za-z_]\w*\+$/.test(part.text)) throw new NeedsShell('it adds to a variable (+=)')
    if (/^[A-Za-z_]\w*$/.test(part.text)) this.#variable = part.text
  }

  #text(text: string): void {
    const last = this.#parts.at(-1)
    if (last?.kind === 'text') this.#parts[this.#parts.length - 1] = { kind: 'text', text: last.text + text }
    else this.#parts.push({ kind: 'text', text })
  }

  #quoted(text: string): void {
    this.#text(text)
    this.#isBare = false
    this.#opensTilde = false
  }

  #single(): void {
    const at = this.#at
    const end = at.source.indexOf("'", at.position + 1)
    if (end < 0) throw new NeedsShell('it has an open quote')
    this.#quoted(at.source.slice(at.position + 1, end))
    at.position = end + 1
  }

  #double(): void {
    const at = this.#at
    at.skip(1)
    this.#quoted('')
    for (;;) {
      const [letter, next] = [at.letter(), at.letter(1)]
      if (letter === '') throw new NeedsShell('it has an open quote')
      if (letter === '`') throw new NeedsShell('it runs a command within a word (backticks)')
      if (letter === '"') return void at.skip(1)
      if (letter === '\\') {
        if (next === '' || next === '\n') throw new NeedsShell('it joins two lines within a word')
        this.#text('"\\$`'.includes(next) ? next : `\\${next}`)
        at.skip(2)
      } else if (letter === '$') this.#dollar()
      else {
        this.#text(letter)
        at.skip(1)
      }
    }
  }

  /** Within double quotes. */
  #dollar(): void {
    const at = this.#at
    const next = at.letter(1)
    if (next === '?') {
      this.#parts.push({ kind: 'status' })
      this.#text('')
      return void at.skip(2)
    }
    // Followed by one of these it is a letter like any other.
    if (next === '"' || next === ' ' || next === '|' || next === ')') {
      this.#text('$')
      return void at.skip(1)
    }
    if (this.#value()) return
    if (!at.source.startsWith('$(cat <<', at.position) || at.hasHereDocument)
      throw new NeedsShell(describeDollar(at))
    this.#text(readDocument(at))
  }

  /** `$F` or `${F}`, for a variable that the line itself sets. */
  #value(): boolean {
    const at = this.#at
    if (at.values.size === 0) return false
    const found = /^\$(?:([A-Za-z]\w*)(?!\[)|\{([A-Za-z]\w*)\})/.exec(
      at.source.slice(at.position, at.position + 100),
    )
    const value = at.values.get(found?.[1] ?? found?.[2] ?? '')
    if (found === null || value === undefined) return false
    this.#quoted(value)
    at.skip(found[0].length)
    return true
  }

  /** `[abc]`, `[a-z]`, `[!0-9]`: letters, digits and dots. */
  #set(): void {
    const at = this.#at
    const found = /^\[([!^]?)((?:[A-Za-z0-9.](?:-[A-Za-z0-9])?)+)\]/.exec(
      at.source.slice(at.position, at.position + 100),
    )
    if (found === null) throw new NeedsShell('it has a [ ] pattern that is not plain')
    const ranges: (readonly [string, string])[] = []
    for (const [, from = '', to = from] of (found[2] as string).matchAll(/(.)(?:-(.))?/g)) {
      const isOrdered =
        [/\d/, /[a-z]/, /[A-Z]/, /\./].some((kind) => kind.test(from) && kind.test(to)) && from <= to
      if (!isOrdered) throw new NeedsShell('it has a [ ] pattern that is not plain')
      ranges.push([from, to])
    }
    this.#parts.push({ kind: 'set', text: found[0], ranges, negated: found[1] !== '' })
    this.#opensTilde = false
    at.skip(found[0].length)
  }

  /** `{a,b}` of plain letters is a choice; `{}` and `{name}` are themselves. */
  #braces(): void {
    const at = this.#at
    const rest = at.source.slice(at.position, at.position + 1_000)
    const literal = /^\{\w*\}/.exec(rest)?.[0]
    this.#hasBraces = true
    if (literal !== undefined) {
      this.#text(literal)
      this.#opensTilde = false
      return void at.skip(literal.length)
    }
    const choice = /^\{([\w./@+-]+(?:,[\w./@+-]+)+)\}/.exec(rest)
    if (choice === null || choice[1]?.includes('..')) throw new NeedsShell('it has { } that are not plain')
    this.#parts.push({ kind: 'choice', texts: (choice[1] as string).split(',') })
    this.#opensTilde = false
    at.skip(choice[0].length)
  }
}

/** `"$(cat <<'END' … END)"`: a text of several lines, as commit messages are often written. Nothing of it is expanded. */
function readDocument(at: Cursor): string {
  at.skip('$(cat <<'.length)
  const { end, isQuoted } = at.readDelimiter()
  if (!isQuoted || at.letter() !== '\n') throw new NeedsShell('it runs a command within a word ($( ))')
  at.skip(1)
  const text = at.readLinesUntil({ end, isQuoted, stripsTabs: false })
  while (' \t\n'.includes(at.letter()) && !at.isDone) at.skip(1)
  if (at.letter() !== ')') throw new NeedsShell('it runs a command within a word ($( ))')
  at.skip(1)
  return text.replace(/\n+$/, '')
}

function describeDollar(at: Cursor): string {
  const next = at.letter(1)
  if (next === '(')
    return at.letter(2) === '(' ? 'it calculates ($(( )))' : 'it runs a command within a word ($( ))'
  if (next === "'" || next === '"') return `it has $${next}`
  return 'it uses a variable ($)'
}

function expandChoices(parts: readonly Part[]): readonly (readonly Part[])[] {
  if (!parts.some(({ kind }) => kind === 'choice')) return [parts]
  let found: Part[][] = [[]]
  for (const part of parts) {
    const texts: readonly Part[] =
      part.kind === 'choice' ? part.texts.map((text) => ({ kind: 'text', text })) : [part]
    found = found.flatMap((before) => texts.map((one) => [...before, one]))
    if (found.length > mostChoices) throw new NeedsShell('its { } stand for too many words')
  }
  return found
}

function wordOf(parts: readonly Part[]): Word {
  let text = ''
  const status: number[] = []
  const glob: GlobPart[] = []
  for (const part of parts) {
    if (part.kind === 'status') status.push(text.length)
    else if (part.kind !== 'choice') {
      text += spelt(part)
      const last = glob.at(-1)
      if (part.kind === 'text' && last?.kind === 'text')
        glob[glob.length - 1] = { kind: 'text', text: last.text + part.text }
      else glob.push(part)
    }
  }
  const isGlob = glob.some(({ kind }) => kind !== 'text')
  if (isGlob && status.length > 0) throw new NeedsShell('it uses $? in a pattern')
  const [first] = glob
  // A file whose name begins with a dash must not become an option; behind `=` it is the value of one.
  const isOptionName = text.startsWith('-') && !(first?.kind === 'text' && first.text.includes('='))
  if (isGlob && isOptionName) throw new NeedsShell('it has a pattern in the name of an option')
  // Bash keeps both slashes in the names that match.
  if (isGlob && text.includes('//')) throw new NeedsShell('it has a pattern with //')
  return { text, ...(isGlob && { glob }), ...(status.length > 0 && { status }) }
}

function spelt(part: GlobPart): string {
  if (part.kind === 'any') return '*'
  return part.kind === 'one' ? '?' : part.text
}
