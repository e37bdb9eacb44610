import { QueryError } from './query-error.ts'

export type Token =
  /** A keyword or a field name. The parser decides which. */
  | { readonly kind: 'word'; readonly text: string; readonly at: number }
  /** A name in backticks: never a keyword. */
  | { readonly kind: 'name'; readonly text: string; readonly at: number }
  | { readonly kind: 'text'; readonly text: string; readonly at: number }
  | { readonly kind: 'number'; readonly text: string; readonly at: number }
  | { readonly kind: 'sign'; readonly text: string; readonly at: number }
  | { readonly kind: 'end'; readonly text: ''; readonly at: number }

export interface Scanner {
  peek(): Token
  next(): Token
  /** Reads a file name: quoted, or up to the next space. Must not be called after `peek`. */
  file(): { readonly name: string; readonly at: number; readonly isQuoted: boolean }
  fail(at: number, sentence: string): never
}

/** Longer than any real query, and short enough for all processing. */
const maxQueryLength = 10_000

const space = /[\s]*/y
const word = /[\p{L}_][\p{L}\p{N}_-]*/uy
const number = /[+-]?\d+(?:\.\d+)?/y
const sign = /<>|<=|>=|!=|[=<>(),*;]/y
const bareFile = /[^\s'"`(),;]+/y

/** Operators of other languages, and their replacements. */
const foreign: readonly (readonly [sign: string, here: string])[] = [
  ['&&', 'AND'],
  ['||', 'OR'],
  ['!', 'NOT'],
]

/** Splits a query into tokens. Throws only `QueryError`. */
export function scanQuery(query: string): Scanner {
  let at = 0
  let ahead: Token | undefined
  const fail = (place: number, sentence: string): never => {
    throw new QueryError(query, place, sentence)
  }
  if (query.length > maxQueryLength)
    fail(0, `The query is too long: ${query.length} characters (at most ${maxQueryLength}).`)

  return {
    peek: () => (ahead ??= scan()),
    next() {
      const token = ahead ?? scan()
      ahead = undefined
      return token
    },
    file() {
      if (ahead !== undefined) throw new Error('unreachable: a token was peeked before a file name')
      skipSpace()
      const start = at
      if (query[at] === "'" || query[at] === '"' || query[at] === '`')
        return { name: quoted().text, at: start, isQuoted: true }
      return { name: take(bareFile) ?? '', at: start, isQuoted: false }
    },
    fail,
  }

  function scan(): Token {
    skipSpace()
    const start = at
    const first = query[at]
    if (first === undefined) return { kind: 'end', text: '', at }
    if (first === "'" || first === '"') return quoted()
    if (first === '`') return { ...quoted(), kind: 'name' }
    const digits = take(number)
    if (digits !== undefined) return numberOf(digits, start)
    const letters = take(word)
    if (letters !== undefined) return { kind: 'word', text: letters, at: start }
    const hint = foreign.find(([theirs]) => query.startsWith(theirs, start) && query[start + 1] !== '=')
    if (hint !== undefined) return fail(start, `Queries do not support ${hint[0]}. Use ${hint[1]}.`)
    if (query.startsWith('==', start)) return fail(start, 'Queries do not support ==. Use =.')
    const found = take(sign)
    if (found !== undefined) return { kind: 'sign', text: found, at: start }
    return fail(start, `${JSON.stringify(symbolAt(start))} is not valid here. Put text in quotes.`)
  }

  function numberOf(digits: string, start: number): Token {
    // A date or an id that starts with digits is not a number.
    const rest = take(/[\p{L}\p{N}_.:-]+/uy)
    if (rest !== undefined) fail(start, `${digits}${rest} is not a number. Put it in quotes.`)
    if (digits.length > 30) fail(start, 'This number is too long. Put it in quotes.')
    return { kind: 'number', text: digits, at: start }
  }

  function quoted(): Token {
    const start = at
    const quote = query[at++] as string
    let text = ''
    for (;;) {
      const sign = query[at++]
      if (sign === undefined) return fail(start, `This ${quote} is not closed.`)
      if (sign === quote) {
        if (query[at] !== quote) return { kind: 'text', text, at: start }
        at += 1
        text += quote
      } else if (sign === '\\' && quote !== '`') text += escaped()
      else text += sign
    }
  }

  /** Keeps the escapes of LIKE. A backslash before any other character is literal. */
  function escaped(): string {
    const sign = query[at]
    if (sign === 'n' || sign === 't' || sign === '\\' || sign === "'" || sign === '"') {
      at += 1
      return sign === 'n' ? '\n' : sign === 't' ? '\t' : sign
    }
    return '\\'
  }

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at
    const found = pattern.exec(query)?.[0]
    if (found !== undefined) at += found.length
    return found
  }

  function skipSpace(): void {
    take(space)
  }

  function symbolAt(place: number): string {
    return String.fromCodePoint(query.codePointAt(place) ?? 0)
  }
}
