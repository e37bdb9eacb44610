import { type RawText, textOf } from '@cadre/disk'
import { decodeValue } from './task-values.ts'

export type Quote = '"' | "'" | '`'

/** A part of the text after the brackets of a task. Offsets are into that text. */
export type HeadToken =
  | {
      readonly kind: 'marker' | 'priority' | 'who' | 'tag' | 'rest'
      readonly text: string
      readonly at: number
      readonly end: number
    }
  | {
      readonly kind: 'title'
      readonly text: string
      readonly quote: Quote | undefined
      readonly at: number
      readonly end: number
    }
  | HeadField

export interface HeadField {
  readonly kind: 'field'
  readonly key: string
  readonly text: string
  readonly rawValue: RawText
  readonly at: number
  readonly valueAt: number
  readonly end: number
}

export interface TaskHead {
  readonly tokens: readonly HeadToken[]
  /** The quote of a title without a closing quote, which is read as unquoted. */
  readonly unclosed: Quote | undefined
}

/** Only these keys end an unquoted title: `Note: call Bob` is a title, and so is `Check the status: is it green?`. */
const bareKeys = 'id|due|created|started|completed|assigned|parent|depends_on|approval_required|title'
const marker = /\[([ xX_~-])\](?=[ \t]|$)/y
const priority = /[A-Z](?=[ \t]|$)/y
const sign = /([@#])([^ \t@#,"'`]+),?(?=[ \t@#]|$)/y
const key = /([A-Za-z_][A-Za-z0-9_-]*):(?=[ \t]|$)/y
const nextKey = /[ \t](?=[A-Za-z_][A-Za-z0-9_-]*:(?:[ \t]|$))/g
const word = /[^ \t]+/y
const bareKey = new RegExp(`(?:^|(?<=[ \\t]))(?:${bareKeys}):[ \\t]+`, 'g')
/** In a line with more quotes, the title ends at the first possible closing quote. */
const maxQuotes = 16

/**
 * Reads `A @who #tag "title" key: value`. A priority and any number of `@who` and `#tag` come before the title; a quoted title may be
 * followed by more of these, and by fields. An unquoted title extends to the end, or to the point after which only fields with known keys
 * and one-word values follow.
 */
export function readHead(raw: RawText): TaskHead {
  const tokens: HeadToken[] = []
  let at = skip(raw, 0)
  for (let found = match(marker, raw, at); found !== null; found = match(marker, raw, at)) {
    tokens.push({ kind: 'marker', text: found[1] ?? '', at, end: at + found[0].length })
    at = skip(raw, at + found[0].length)
  }
  for (;;) {
    const token = readSign(raw, at) ?? readPriority(raw, at, tokens)
    if (token === undefined) break
    tokens.push(token)
    at = skip(raw, token.end)
  }
  if (at === raw.length) return { tokens, unclosed: undefined }
  const quote = quoteAt(raw, at)
  const quoted = quote && readQuoted(raw, at, quote)
  if (quoted !== undefined) return { tokens: [...tokens, ...quoted], unclosed: undefined }
  return { tokens: [...tokens, ...readBare(raw, at)], unclosed: quote }
}

function readSign(raw: RawText, at: number): HeadToken | undefined {
  const found = match(sign, raw, at)
  if (found === null) return undefined
  const [all, first, name = ''] = found
  return { kind: first === '@' ? 'who' : 'tag', text: textOf(name), at, end: at + all.length }
}

function readPriority(raw: RawText, at: number, before: readonly HeadToken[]): HeadToken | undefined {
  const found = match(priority, raw, at)
  if (found === null || before.some(({ kind }) => kind === 'priority')) return undefined
  return { kind: 'priority', text: found[0], at, end: at + 1 }
}

/** The closing quote is the first one that is followed by white space and only valid parts, or else the first possible one. */
function readQuoted(raw: RawText, at: number, quote: Quote): HeadToken[] | undefined {
  let first: HeadToken[] | undefined
  let tried = 0
  for (let end = raw.indexOf(quote, at + 1); end !== -1; end = raw.indexOf(quote, end + 1)) {
    if (!isSpace(raw[end + 1]) && end + 1 < raw.length) continue
    if (quote === '"' && isEscaped(raw, end, at)) continue
    const inner = textOf(raw.slice(at + 1, end))
    const text = quote === '"' ? inner.replace(/\\(["\\])/g, '$1') : inner
    const tokens: HeadToken[] = [{ kind: 'title', text, quote, at, end: end + 1 }, ...readTail(raw, end + 1)]
    if (tokens.every(({ kind }) => kind !== 'rest')) return tokens
    first ??= tokens
    if (++tried === maxQuotes) break
  }
  return first
}

function readBare(raw: RawText, at: number): HeadToken[] {
  let stop = trimmedEnd(raw, raw.length)
  const fields: HeadField[] = []
  for (const found of [...raw.slice(at).matchAll(bareKey)].reverse()) {
    const start = at + found.index
    const valueAt = start + found[0].length
    const rawValue = raw.slice(valueAt, stop)
    if (valueAt >= stop || !isOneWord(rawValue)) break
    const name = found[0].slice(0, found[0].indexOf(':'))
    fields.unshift({
      kind: 'field',
      key: name,
      text: decodeValue(rawValue),
      rawValue,
      at: start,
      valueAt,
      end: stop,
    })
    stop = trimmedEnd(raw, start)
  }
  if (stop <= at) return fields
  return [{ kind: 'title', text: textOf(raw.slice(at, stop)), quote: undefined, at, end: stop }, ...fields]
}

/** Reads the parts after a quoted title. */
function readTail(raw: RawText, from: number): HeadToken[] {
  const tokens: HeadToken[] = []
  const endless = new Set<Quote>()
  for (let at = skip(raw, from); at < raw.length; ) {
    const token = readSign(raw, at) ?? readField(raw, at, endless) ?? readRest(raw, at)
    tokens.push(token)
    at = skip(raw, token.end)
  }
  return tokens
}

function readField(raw: RawText, at: number, endless: Set<Quote>): HeadField | undefined {
  const found = match(key, raw, at)
  if (found === null) return undefined
  const behind = at + found[0].length
  const start = skip(raw, behind)
  const end = start === raw.length || match(key, raw, start) !== null ? behind : valueEnd(raw, start, endless)
  const valueAt = Math.min(start, end)
  const rawValue = raw.slice(valueAt, end)
  return { kind: 'field', key: found[1] ?? '', text: decodeValue(rawValue), rawValue, at, valueAt, end }
}

/**
 * A value is quoted, a word or comma-separated words; otherwise it extends to the next key. `endless`: quotes without an end from here on,
 * so that a line of open quotes is read only once.
 */
function valueEnd(raw: RawText, start: number, endless: Set<Quote>): number {
  const quote = quoteAt(raw, start)
  if (quote !== undefined && !endless.has(quote)) {
    for (let end = raw.indexOf(quote, start + 1); end !== -1; end = raw.indexOf(quote, end + 1)) {
      const isLast = end + 1 === raw.length || isSpace(raw[end + 1])
      if (isLast && !(quote === '"' && isEscaped(raw, end, start))) return end + 1
    }
    endless.add(quote)
  }
  let end = start
  for (let found = match(word, raw, end); found !== null; found = match(word, raw, skip(raw, end))) {
    end = found.index + found[0].length
    if (!found[0].endsWith(',')) break
  }
  const next = skip(raw, end)
  if (next === raw.length || match(key, raw, next) !== null || match(sign, raw, next) !== null) return end
  nextKey.lastIndex = end
  const following = nextKey.exec(raw)
  return trimmedEnd(raw, following === null ? raw.length : following.index)
}

function readRest(raw: RawText, at: number): HeadToken {
  const found = match(word, raw, at)
  const end = at + (found?.[0].length ?? 1)
  return { kind: 'rest', text: textOf(raw.slice(at, end)), at, end }
}

function match(pattern: RegExp, raw: RawText, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(raw)
}

function quoteAt(raw: RawText, at: number): Quote | undefined {
  const character = raw[at]
  return character === '"' || character === "'" || character === '`' ? character : undefined
}

function isEscaped(raw: RawText, at: number, from: number): boolean {
  let signs = 0
  while (at - signs - 1 > from && raw[at - signs - 1] === '\\') signs++
  return signs % 2 === 1
}

function isOneWord(raw: RawText): boolean {
  const quote = quoteAt(raw, 0)
  if (quote !== undefined) return raw.length > 1 && raw.endsWith(quote) && !raw.slice(1, -1).includes(quote)
  return raw.split(/,[ \t]*/).every((part) => part !== '' && !/[ \t]/.test(part))
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

function skip(raw: RawText, at: number): number {
  let next = at
  while (isSpace(raw[next])) next++
  return next
}

function trimmedEnd(raw: RawText, end: number): number {
  let last = end
  while (last > 0 && isSpace(raw[last - 1])) last--
  return last
}
