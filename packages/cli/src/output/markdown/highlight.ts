import type { Mark, Span } from './styled-span.ts'

/** The syntax of a family of languages: enough to colour it line by line. */
interface Language {
  readonly comment: readonly string[]
  readonly block?: readonly [start: string, end: string]
  readonly quotes: string
  /** Quotes whose text may span lines. */
  readonly long?: readonly string[]
  readonly words: ReadonlySet<string>
}

const words = (text: string) => new Set(text.split(' '))
const clike: Language = {
  comment: ['//'],
  block: ['/*', '*/'],
  quotes: `"'\``,
  long: ['`'],
  words: words(
    'abstract as async await bool boolean break case catch char class const continue debugger declare default defer delete do double else enum export extends extern false final finally float fn for from func function get go goto if impl implements import in infer instanceof int interface internal keyof let long loop match mod module mut namespace nil new null number object of override package private protected pub public readonly ref return satisfies self set short static string struct super switch this throw throws trait true try type typeof undefined union unsafe use using var virtual void volatile where while with yield',
  ),
}
const hash = (text: string, more: Partial<Language> = {}): Language => ({
  comment: ['#'],
  quotes: `"'`,
  words: words(text),
  ...more,
})
const python = hash(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield',
  { long: ['"""', "'''"] },
)
const shell = hash(
  'case do done elif else esac exit export fi for function if in local readonly return set shift source then trap unset until while',
)
const ruby = hash(
  'BEGIN END alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield',
)
const yaml = hash('true false null yes no on off')
const sql: Language = {
  comment: ['--'],
  block: ['/*', '*/'],
  quotes: `'"`,
  words: words(
    'add all alter and as asc begin between by case column commit create default delete desc distinct drop else end exists foreign from group having if in index inner insert into is join key left like limit not null offset on or order outer primary references right rollback select set table then union unique update values view when where with',
  ),
}
const json: Language = { comment: ['//'], quotes: '"', words: words('true false null') }
const css: Language = { comment: [], block: ['/*', '*/'], quotes: `"'`, words: new Set() }
const markup: Language = { comment: [], block: ['<!--', '-->'], quotes: `"'`, words: new Set() }

const byName: { readonly [name: string]: Language } = Object.fromEntries(
  (
    [
      [
        'js jsx mjs cjs javascript ts tsx mts cts typescript java c h cpp cc hpp cxx c++ cs csharp go golang rs rust kt kotlin swift scala dart php zig proto groovy',
        clike,
      ],
      ['py python python3', python],
      ['sh bash zsh shell fish console dockerfile docker makefile make', shell],
      ['rb ruby elixir ex perl pl r', ruby],
      ['yaml yml toml ini conf properties', yaml],
      ['sql psql mysql sqlite lua haskell hs', sql],
      ['json jsonc json5 jsonl', json],
      ['css scss less', css],
      ['html htm xml svg vue svelte', markup],
    ] as const
  ).flatMap(([names, language]) => names.split(' ').map((name) => [name, language])),
)

/** Colours one line after the other. Remembers open constructs, such as a comment. */
export interface Highlighter {
  line(text: string): Span[]
  copy(): Highlighter
}

export function createHighlighter(name: string, open?: string): Highlighter {
  const key = name.toLowerCase()
  const language = Object.hasOwn(byName, key) ? byName[key] : undefined
  let until = open
  return {
    line(text) {
      if (key === 'diff' || key === 'patch') return [{ text, marks: diffMarks(text) }]
      if (language === undefined) return [{ text, marks: [] }]
      const read = readLine(text, language, until)
      until = read.until
      return read.spans
    },
    copy: () => createHighlighter(name, until),
  }
}

function diffMarks(text: string): Mark[] {
  if (text.startsWith('+')) return ['green']
  if (text.startsWith('-')) return ['red']
  return text.startsWith('@@') ? ['cyan'] : []
}

const word = /[\p{L}_$][\p{L}\p{N}_$]*/uy
const number = /0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?/y

function readLine(
  text: string,
  language: Language,
  open: string | undefined,
): { spans: Span[]; until: string | undefined } {
  const spans: Span[] = []
  const { comment, block, quotes, long = [] } = language
  let until = open
  let at = 0
  const take = (length: number, ...marks: Mark[]) => {
    const last = spans.at(-1)
    const piece = text.slice(at, at + length)
    if (last !== undefined && last.marks.join() === marks.join())
      spans[spans.length - 1] = { text: last.text + piece, marks }
    else spans.push({ text: piece, marks })
    at += length
  }
  const takeUntil = (end: string, from: number, ...marks: Mark[]) => {
    const found = text.indexOf(end, from)
    until = found < 0 ? end : undefined
    take((found < 0 ? text.length : found + end.length) - at, ...marks)
  }
  while (at < text.length) {
    if (until !== undefined) {
      takeUntil(until, at, ...(until === block?.[1] ? (['dim'] as const) : (['green'] as const)))
      continue
    }
    const character = text[at] as string
    const starts = (mark: string) => text.startsWith(mark, at)
    // In shells and YAML, a # within a word is not a comment.
    if (comment.some((mark) => starts(mark) && (mark !== '#' || at === 0 || /\s/.test(text[at - 1] ?? '')))) {
      take(text.length - at, 'dim')
      continue
    }
    if (block !== undefined && starts(block[0])) {
      takeUntil(block[1], at + block[0].length, 'dim')
      continue
    }
    const mark = long.find(starts)
    if (mark !== undefined) {
      takeUntil(mark, at + mark.length, 'green')
      continue
    }
    if (quotes.includes(character)) {
      take(closing(text, at, character) - at, 'green')
      continue
    }
    word.lastIndex = at
    const name = word.exec(text)?.[0]
    if (name !== undefined) {
      if (language.words.has(language === sql ? name.toLowerCase() : name)) take(name.length, 'magenta')
      else if (text[at + name.length] === '(') take(name.length, 'blue')
      else take(name.length)
      continue
    }
    number.lastIndex = at
    const digits = number.exec(text)?.[0]
    if (digits !== undefined) take(digits.length, 'yellow')
    else take((text.codePointAt(at) as number) > 0xffff ? 2 : 1)
  }
  return { spans, until }
}

/** The end of a quoted text. An unclosed apostrophe is not a quote. */
function closing(text: string, at: number, quote: string): number {
  for (let index = at + 1; index < text.length; index++) {
    if (text[index] === '\\') index += 1
    else if (text[index] === quote) return index + 1
  }
  return at + 1
}
