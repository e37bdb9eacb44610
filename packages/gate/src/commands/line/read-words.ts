import { type Cursor, endOfWord, NeedsShell, needsShell } from './cursor.ts'
import type { GlobPart, Word } from './line.ts'

/** A word, with properties that depend on its position. */
export interface WrittenWord {
  readonly word: Word
  /** The name in an assignment before a program: `CI=1`. */
  readonly variable?: string
  /** A single digit, which a following arrow would turn into a file descriptor. */
  readonly descriptor?: number
  /** It is one of several expanded words, or contains `{}`. */
  readonly hasBraces: boolean
}

type Part =
  | GlobPart
  | { readonly kind: 'choice'; readonly texts: readonly string[] }
  | { readonly kind: 'status' }

const maxChoices = 64
const openQuote = 'the command has an unclosed quote'

/** A fast path: most words have no special characters. */
const plainWord = /[\w./@%+,-]+(?=[ \t\n;|&()<>]|$)/y

/** Reads the word at the cursor, or several if `{a,b}` expands. */
export function readWords(at: Cursor, mayAssign: boolean): readonly WrittenWord[] {
  const text = at.take(plainWord)?.[0]
  if (text === undefined) return new WordReader(at, mayAssign).words()
  if (!/^\d+$/.test(text)) return [{ word: { text }, hasBraces: false }]
  if (!/^[012]$/.test(text) && at.isAt(/[<>]/y))
    throw new NeedsShell('the command redirects another descriptor')
  return [{ word: { text }, descriptor: Number(text), hasBraces: false }]
}

class WordReader {
  readonly #at: Cursor
  readonly #parts: Part[] = []
  readonly #mayAssign: boolean
  /** No part of it was quoted or escaped. */
  #isBare = true
  #hasBraces = false
  /** True if a `~` here would be expanded: at the start, and after `=` and `:`. */
  #opensTilde = true
  #variable: string | undefined

  constructor(at: Cursor, mayAssign: boolean) {
    this.#at = at
    this.#mayAssign = mayAssign
  }

  words(): readonly WrittenWord[] {
    const at = this.#at
    const start = at.position
    while (!at.isAt(endOfWord)) this.#next(start)
    const words = expandChoices(this.#parts).map(wordOf)
    if (this.#variable !== undefined && words.length > 1)
      throw new NeedsShell('the command sets a variable to several words ({ })')
    const variable = this.#variable !== undefined && { variable: this.#variable }
    return words.map((word) => ({ word, hasBraces: this.#hasBraces, ...variable }))
  }

  #next(start: number): void {
    const at = this.#at
    const letter = at.letter()
    switch (letter) {
      case "'":
        return void this.#quoted(at.take(/'([^']*)'/y)?.[1] ?? needsShell(openQuote))
      case '"':
        return void this.#double()
      case '\\':
        return void this.#quoted(this.#escaped())
      case '$':
        return void this.#dollar(false)
      case '`':
        throw new NeedsShell('the command uses command substitution (backticks)')
      case '*':
      case '?':
        at.position++
        return void this.#part({ kind: letter === '*' ? 'any' : 'one' })
      case '[':
        if (at.position === start && at.isAt(/\[(?:$|[ \t\n;|&()<>])/y)) return void this.#plain()
        return void this.#set()
      case '{':
        return void this.#braces()
      case '}':
        throw new NeedsShell('the command has an unmatched }')
      case '~':
        if (this.#opensTilde) throw new NeedsShell('the command uses ~')
        return void this.#plain()
      default:
        return void this.#plain()
    }
  }

  #plain(): void {
    const letters = this.#at.take(/[\w./@%+,-]+|./sy)?.[0] ?? ''
    if (letters === '=' && this.#mayAssign && this.#isBare && this.#variable === undefined) this.#assign()
    this.#text(letters)
    // Bash expands the ~ of `a=~` and `a:~` in words that look like assignments.
    this.#opensTilde = letters === '=' || letters === ':'
  }

  #assign(): void {
    const part = this.#parts[0]
    if (this.#parts.length !== 1 || part?.kind !== 'text') return
    if (/^[A-Za-z_]\w*\+$/.test(part.text)) throw new NeedsShell('the command appends to a variable (+=)')
    if (/^[A-Za-z_]\w*$/.test(part.text)) this.#variable = part.text
  }

  #text(text: string): void {
    this.#parts.push({ kind: 'text', text })
  }

  #quoted(text: string): void {
    this.#text(text)
    this.#isBare = false
    this.#opensTilde = false
  }

  #part(part: Part): void {
    this.#parts.push(part)
    this.#opensTilde = false
  }

  #double(): void {
    const at = this.#at
    at.position++
    this.#quoted('')
    while (!at.take(/"/y)) {
      const letter = at.letter()
      if (letter === '`') throw new NeedsShell('the command uses command substitution (backticks)')
      if (letter === '$') this.#dollar(true)
      else if (letter === '\\') {
        const next = this.#escaped()
        this.#text('"\\$`'.includes(next) ? next : `\\${next}`)
      } else this.#text(at.take(/[^"\\$`]+/y)?.[0] ?? needsShell(openQuote))
    }
  }

  #escaped(): string {
    return this.#at.take(/\\([^\n])/y)?.[1] ?? needsShell('the command continues a word on the next line')
  }

  #dollar(isQuoted: boolean): void {
    const at = this.#at
    const next = at.letter(1)
    if (next === '?') return void this.#status()
    // Before one of these, `$` is a literal character.
    if (isQuoted && (next === '"' || next === ' ' || next === '|' || next === ')')) {
      at.position++
      return void this.#text('$')
    }
    if (this.#value()) return
    if (!isQuoted || at.hasHereDocument || !at.take(/\$\(cat <</y)) throw new NeedsShell(describeDollar(at))
    this.#text(readDocument(at))
  }

  #status(): void {
    this.#at.position += 2
    this.#parts.push({ kind: 'status' })
    this.#quoted('')
  }

  /** `$F` or `${F}`, for a variable that the line itself sets. */
  #value(): boolean {
    const at = this.#at
    if (at.values.size === 0) return false
    const start = at.position
    const found = at.take(/\$(?:([A-Za-z]\w*)(?!\[)|\{([A-Za-z]\w*)\})/y)
    const value = at.values.get(found?.[1] ?? found?.[2] ?? '')
    if (value === undefined) at.position = start
    else this.#quoted(value)
    return value !== undefined
  }

  /** `[abc]`, `[a-z]`, `[!0-9]`: letters, digits and dots. */
  #set(): void {
    const found = this.#at.take(/\[([!^]?)((?:[A-Za-z0-9.](?:-[A-Za-z0-9])?){1,98})\]/y)
    const ranges = [...(found?.[2] ?? '').matchAll(/(.)(?:-(.))?/g)].map(
      ([, from = '', to = from]) => [from, to] as const,
    )
    const isPlain = ranges.every(
      ([from, to]) =>
        [/\d/, /[a-z]/, /[A-Z]/, /\./].some((kind) => kind.test(from) && kind.test(to)) && from <= to,
    )
    if (found === null || found[0].length > 100 || !isPlain)
      throw new NeedsShell('the command has a [ ] pattern that is too complex')
    this.#part({ kind: 'set', text: found[0], ranges, negated: found[1] !== '' })
  }

  /** `{a,b}` of plain characters is expanded; `{}` and `{name}` are literal. */
  #braces(): void {
    const at = this.#at
    this.#hasBraces = true
    const literal = at.take(/\{\w{0,998}\}/y)?.[0]
    if (literal !== undefined) return void this.#part({ kind: 'text', text: literal })
    const choice = at.take(/\{([\w./@+-]+(?:,[\w./@+-]+)+)\}/y)
    if (choice === null || choice[0].length > 1_000 || choice[1]?.includes('..'))
      throw new NeedsShell('the command has { } that are too complex')
    this.#part({ kind: 'choice', texts: (choice[1] as string).split(',') })
  }
}

/** `"$(cat <<'END' … END)"`: a multi-line text, a common way to write commit messages. It is not expanded. */
function readDocument(at: Cursor): string {
  const { end, isQuoted } = at.readDelimiter()
  if (!isQuoted || !at.take(/\n/y)) throw new NeedsShell('the command uses command substitution ($( ))')
  const text = at.readLinesUntil({ end, isQuoted, stripsTabs: false })
  if (!at.take(/[ \t\n]*\)/y)) throw new NeedsShell('the command uses command substitution ($( ))')
  return text.replace(/\n+$/, '')
}

function describeDollar(at: Cursor): string {
  const next = at.letter(1)
  if (next === '(')
    return at.letter(2) === '('
      ? 'the command uses arithmetic ($(( )))'
      : 'the command uses command substitution ($( ))'
  if (next === "'" || next === '"') return `the command has $${next}`
  return 'the command uses a variable ($)'
}

function expandChoices(parts: readonly Part[]): readonly (readonly Part[])[] {
  if (!parts.some(({ kind }) => kind === 'choice')) return [parts]
  let found: Part[][] = [[]]
  for (const part of parts) {
    const texts: readonly Part[] =
      part.kind === 'choice' ? part.texts.map((text) => ({ kind: 'text', text })) : [part]
    found = found.flatMap((before) => texts.map((one) => [...before, one]))
    if (found.length > maxChoices) throw new NeedsShell('the command has { } that expand to too many words')
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
      text += part.kind === 'any' ? '*' : part.kind === 'one' ? '?' : part.text
      const last = glob.at(-1)
      if (part.kind === 'text' && last?.kind === 'text')
        glob[glob.length - 1] = { kind: 'text', text: last.text + part.text }
      else glob.push(part)
    }
  }
  const first = glob[0]
  if (glob.every(({ kind }) => kind === 'text')) return { text, ...(status.length > 0 && { status }) }
  if (status.length > 0) throw new NeedsShell('the command uses $? in a pattern')
  // A file name that starts with a dash must not become an option; after `=` it is the value of one.
  if (text.startsWith('-') && !(first?.kind === 'text' && first.text.includes('=')))
    throw new NeedsShell('the command has a pattern in an option name')
  // Bash keeps both slashes in matching names.
  if (text.includes('//')) throw new NeedsShell('the command has a pattern with //')
  return { text, glob }
}
