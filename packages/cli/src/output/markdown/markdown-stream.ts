/**
 * Renders Markdown for a terminal while it arrives. Owns the text that is not final yet.
 *
 * 1. Lines that `add` and `end` return are final: later text never changes them. They do not depend on how the text is
 *    split.
 * 2. No line is wider than `columns`. Words are not split, unless one is longer than a line.
 * 3. The text is data: nothing in it that a terminal would interpret remains.
 * 4. The cost of a piece depends on the length of the open block, not of the text.
 */
import { cleanText } from '../clean-text.ts'
import type { Style } from '../style.ts'
import { createHighlighter, type Highlighter } from './highlight.ts'
import { readInline } from './read-inline.ts'
import type { Span } from './styled-span.ts'
import { type ColumnAlignment, readAlignments, readCells, tableLines } from './table-lines.ts'
import { wrapSpans } from './wrap-spans.ts'

export interface MarkdownOptions {
  readonly columns: number
  readonly style: Style
}

/** The prefix of a block: the bars of a quote, the indent of a list. `first` may contain a bullet; both have the same width. */
interface Margin {
  readonly quotes: number
  readonly indent: number
  readonly bullet: string
}

type Block =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly margin: Margin; lines: string[] }
  | {
      readonly kind: 'table'
      readonly margin: Margin
      readonly aligns: readonly ColumnAlignment[]
      rows: string[][]
    }
  | {
      readonly kind: 'code'
      readonly margin: Margin
      readonly fence: string
      readonly strip: number
      readonly highlighter: Highlighter
    }

type Gap = 'none' | 'blank' | 'needed'

/** A very long paragraph is split, because it is rendered again with each piece. */
const maxTextLength = 8_000
const maxRows = 500
/** The maximum length of a heading, a code fence or a table delimiter. Longer lines are text, because matching them is slow. */
const maxMarkLength = 1_000
const maxQuoteDepth = 20

export class MarkdownStream {
  readonly #options: MarkdownOptions
  #line = ''
  #block: Block = { kind: 'none' }
  /** The text columns of the open lists. */
  #lists: number[] = []
  #gap: Gap = 'none'
  #hasLines = false
  #out: string[] = []

  constructor(options: MarkdownOptions) {
    this.#options = options
  }

  /** Adds a piece of text. Returns the lines that are final now. */
  add(text: string): string[] {
    const pieces = text.split('\n')
    for (let index = 0; index < pieces.length - 1; index++) {
      this.#take(cleanText(this.#line + pieces[index]))
      this.#line = ''
    }
    this.#line += pieces.at(-1) ?? ''
    return this.#given()
  }

  /** The lines that are not final yet, as if the text ended here. */
  tail(): string[] {
    if (this.#line === '' && this.#block.kind !== 'text' && this.#block.kind !== 'table') return []
    return this.#copy().end()
  }

  end(): string[] {
    if (this.#line !== '') this.#take(cleanText(this.#line))
    this.#line = ''
    this.#close()
    return this.#given()
  }

  #copy(): MarkdownStream {
    const copy = new MarkdownStream(this.#options)
    const block = this.#block
    if (block.kind === 'text') copy.#block = { ...block, lines: [...block.lines] }
    else if (block.kind === 'table') copy.#block = { ...block, rows: [...block.rows] }
    else if (block.kind === 'code') copy.#block = { ...block, highlighter: block.highlighter.copy() }
    copy.#line = this.#line
    copy.#lists = [...this.#lists]
    copy.#gap = this.#gap
    copy.#hasLines = this.#hasLines
    return copy
  }

  #given(): string[] {
    const lines = this.#out
    this.#out = []
    return lines
  }

  #take(line: string): void {
    const block = this.#block
    if (block.kind === 'code') {
      this.#takeCode(line, block)
      return
    }
    const { quotes, text } = unquote(line)
    if (text.trim() === '') {
      this.#close()
      if (this.#gap === 'none') this.#gap = 'blank'
      return
    }
    const indent = text.length - text.trimStart().length
    const body = text.slice(indent)
    if (block.kind === 'table') {
      if (body.includes('|') && block.margin.quotes === quotes && block.rows.length < maxRows) {
        block.rows.push(readCells(body))
        return
      }
      this.#close()
    }
    const isShort = body.length <= maxMarkLength
    const fence = isShort ? /^(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/.exec(body) : null
    if (fence !== null) {
      this.#close()
      this.#set(true)
      this.#block = {
        kind: 'code',
        margin: { quotes, indent: this.#within(indent) + 2, bullet: '' },
        fence: fence[1] as string,
        strip: indent,
        highlighter: createHighlighter(fence[2] ?? ''),
      }
      return
    }
    const heading = isShort ? /^(#{1,6})\s+(.*?)\s*#*$/.exec(body) : null
    if (heading !== null && indent < 4) {
      this.#close()
      this.#lists = []
      const level = (heading[1] as string).length
      const marks = level === 1 ? (['bold', 'underline'] as const) : (['bold'] as const)
      this.#set(true)
      this.#emit({ quotes, indent: 0, bullet: '' }, readInline(heading[2] ?? '', marks))
      this.#gap = 'needed'
      return
    }
    if (/^(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/.test(body)) {
      this.#close()
      this.#set(true)
      const width = this.#room({ quotes, indent: 0, bullet: '' })
      this.#emit({ quotes, indent: 0, bullet: '' }, [
        { text: '─'.repeat(Math.min(40, width)), marks: ['dim'] },
      ])
      this.#gap = 'needed'
      return
    }
    const item = /^([-*+]|\d{1,9}[.)])(\s+|$)(.*)$/.exec(body)
    if (
      item !== null &&
      !(
        block.kind === 'text' &&
        block.margin.bullet === '' &&
        /^\d/.test(body) &&
        !/^1[.)]/.test(body) &&
        this.#lists.length === 0
      )
    ) {
      this.#takeItem(item, indent, quotes)
      return
    }
    if (block.kind === 'text' && block.margin.quotes === quotes) {
      const aligns = block.lines.length === 1 && isShort ? readAlignments(body) : undefined
      const [head = ''] = block.lines
      if (aligns !== undefined && head.includes('|') && readCells(head).length === aligns.length) {
        const { margin } = block
        this.#block = { kind: 'table', margin: { ...margin, bullet: '' }, aligns, rows: [readCells(head)] }
        return
      }
      if (block.lines.reduce((sum, { length }) => sum + length, body.length) <= maxTextLength) {
        block.lines.push(body)
        return
      }
    }
    this.#close()
    this.#block = {
      kind: 'text',
      margin: { quotes, indent: this.#within(indent), bullet: '' },
      lines: [body],
    }
  }

  #takeItem([, mark = '', gap = '', rest = '']: RegExpExecArray, indent: number, quotes: number): void {
    this.#close()
    const outer = this.#within(indent)
    const task = /^\[([ xX])\]\s+(.*)$/.exec(rest)
    const sign = /^\d/.test(mark) ? mark : '•'
    const box = task === null ? '' : task[1] === ' ' ? '☐ ' : '☑ '
    const bullet = `${sign} ${box}`
    this.#lists.push(indent + mark.length + Math.max(1, Math.min(4, gap.length)))
    this.#block = {
      kind: 'text',
      margin: { quotes, indent: outer, bullet },
      lines: [task === null ? rest : (task[2] ?? '')],
    }
  }

  /** Returns the list depth of a line that starts at this column; closes other lists. */
  #within(indent: number): number {
    while (this.#lists.length > 0 && indent < (this.#lists.at(-1) as number)) this.#lists.pop()
    return this.#lists.length * 2
  }

  #takeCode(line: string, block: Extract<Block, { kind: 'code' }>): void {
    const { text } = block.margin.quotes > 0 ? unquote(line, block.margin.quotes) : { text: line }
    const trimmed = text.trim()
    const isEnd =
      trimmed.startsWith(block.fence) && trimmed === (block.fence[0] as string).repeat(trimmed.length)
    if (isEnd) {
      this.#block = { kind: 'none' }
      this.#gap = 'needed'
      return
    }
    const strip = Math.min(block.strip, text.length - text.trimStart().length)
    const spans = block.highlighter.line(text.slice(strip))
    const room = Math.max(1, this.#room(block.margin))
    for (const piece of wrapCode(spans, room, this.#options.style)) this.#push(block.margin, piece)
  }

  #close(): void {
    const block = this.#block
    this.#block = { kind: 'none' }
    if (block.kind === 'text') {
      this.#set(false)
      this.#emit(block.margin, readInline(joinLines(block.lines)))
    } else if (block.kind === 'table') {
      this.#set(true)
      const room = Math.max(1, this.#room(block.margin))
      for (const line of tableLines(block.rows, block.aligns, room, this.#options.style))
        this.#push(block.margin, line)
      this.#gap = 'needed'
    } else if (block.kind === 'code') this.#gap = 'needed'
  }

  /** A blank line before a block, if the text has one or the block needs one. */
  #set(isApart: boolean): void {
    if (this.#hasLines && (isApart || this.#gap !== 'none')) this.#out.push('')
    this.#gap = 'none'
  }

  #emit(margin: Margin, spans: readonly Span[]): void {
    const lines = wrapSpans(spans, Math.max(1, this.#room(margin)), this.#options.style)
    for (const [index, line] of lines.entries())
      this.#push(margin, line, index === 0 ? margin.bullet : undefined)
  }

  #push(margin: Margin, line: string, bullet?: string): void {
    const { style, columns } = this.#options
    const bars = style.dim('│ ').repeat(visibleQuotes(margin, columns))
    const lead = bullet === undefined ? ' '.repeat(margin.bullet.length) : style.cyan(bullet)
    const indent = ' '.repeat(visibleIndent(margin, columns))
    this.#out.push(`${bars}${indent}${lead}${line}`.trimEnd())
    this.#hasLines = true
  }

  #room(margin: Margin): number {
    const { columns } = this.#options
    return (
      columns - visibleQuotes(margin, columns) * 2 - visibleIndent(margin, columns) - margin.bullet.length
    )
  }
}

/** Deep nesting must leave space for the text. */
function visibleQuotes({ quotes }: Margin, columns: number): number {
  return Math.min(quotes, Math.floor(columns / 8))
}

function visibleIndent({ indent }: Margin, columns: number): number {
  return Math.min(indent, Math.floor(columns / 4))
}

function unquote(line: string, max = maxQuoteDepth): { quotes: number; text: string } {
  let text = line
  let quotes = 0
  for (;;) {
    const match = quotes < max ? /^ {0,3}> ?/.exec(text) : null
    if (match === null) return { quotes, text }
    text = text.slice(match[0].length)
    quotes += 1
  }
}

/** Joins the lines of a paragraph, except after two spaces or a backslash. */
function joinLines(lines: readonly string[]): string {
  return lines
    .map((line, index) => {
      if (index === lines.length - 1) return line.trimEnd()
      return / {2,}$|\\$/.test(line) ? `${line.replace(/ +$|\\$/, '')}\n` : `${line.trimEnd()} `
    })
    .join('')
}

/** Code keeps its spaces; a long line continues on the next, with the same indent if there is space. */
function wrapCode(spans: readonly Span[], room: number, style: MarkdownOptions['style']): string[] {
  const first = spans[0]?.text ?? ''
  const indent = first.length - first.trimStart().length
  const kept = Math.min(indent, Math.floor(room / 2))
  // Protects spaces from being joined or dropped when wrapping.
  const solid = spans.map(({ text, marks }, index) => ({
    text: (index === 0 ? text.slice(indent) : text).replace(/ (?= )|(?<= ) /g, '\u00a0'),
    marks,
  }))
  return wrapSpans(solid, Math.max(1, room - kept), style).map((line) =>
    `${' '.repeat(kept)}${line.replaceAll('\u00a0', ' ')}`.trimEnd(),
  )
}
