import type { Style } from '../style.ts'
import { graphemesOf, textWidth } from '../text-width.ts'
import { paintSpan, type Span } from './styled-span.ts'

interface Word {
  readonly spans: readonly Span[]
  readonly width: number
  /** Preceded by a space, which is dropped at the start of a line. */
  readonly isApart: boolean
}

/** Scripts without spaces between words: a line may break after any character. */
const breakable = /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/u

/**
 * Returns painted lines of at most `columns`. Words are not split, unless one is longer than a line. A line feed ends a
 * line. `rest`: the width after the first line, if it differs.
 */
export function wrapSpans(spans: readonly Span[], columns: number, style: Style, rest = columns): string[] {
  const lines: string[] = []
  for (const paragraph of paragraphsOf(spans)) {
    let line: Span[] = []
    let width = 0
    const room = () => Math.max(1, lines.length === 0 ? columns : rest)
    const end = () => {
      lines.push(paintLine(line, style))
      line = []
      width = 0
    }
    for (const word of wordsOf(paragraph)) {
      const gap = word.isApart && width > 0 ? 1 : 0
      if (width > 0 && width + gap + word.width > room()) end()
      if (word.isApart && width > 0) {
        // Within one style, the space has it too: underlined text has no gaps.
        line.push({ text: ' ', marks: sharedMarks(line.at(-1), word.spans[0]) })
        width += 1
      }
      if (word.width <= room()) {
        line.push(...word.spans)
        width += word.width
        continue
      }
      for (const { text, marks } of word.spans)
        for (const piece of graphemesOf(text)) {
          const more = textWidth(piece)
          if (width > 0 && width + more > room()) end()
          line.push({ text: piece, marks })
          width += more
        }
    }
    end()
  }
  return lines
}

function paragraphsOf(spans: readonly Span[]): Span[][] {
  const paragraphs: Span[][] = [[]]
  for (const { text, marks } of spans)
    text.split('\n').forEach((part, index) => {
      if (index > 0) paragraphs.push([])
      if (part !== '') paragraphs.at(-1)?.push({ text: part, marks })
    })
  return paragraphs
}

function wordsOf(spans: readonly Span[]): Word[] {
  const words: Word[] = []
  let current: Span[] = []
  let width = 0
  let isApart = false
  const end = () => {
    if (current.length > 0) words.push({ spans: current, width, isApart })
    if (current.length > 0) isApart = false
    current = []
    width = 0
  }
  for (const { text, marks } of spans)
    for (const part of text.split(/( +)/)) {
      if (part === '') continue
      if (part.startsWith(' ')) {
        end()
        isApart = true
        continue
      }
      for (const piece of part.split(breakable)) {
        if (piece === '') continue
        const isAlone = breakable.test(piece)
        if (isAlone) end()
        current.push({ text: piece, marks })
        width += textWidth(piece)
        if (isAlone) end()
      }
    }
  end()
  return words
}

function sharedMarks(before: Span | undefined, after: Span | undefined): Span['marks'] {
  return before?.marks.filter((mark) => after?.marks.includes(mark)) ?? []
}

function paintLine(line: readonly Span[], style: Style): string {
  const merged: Span[] = []
  for (const span of line) {
    const last = merged.at(-1)
    if (last !== undefined && last.marks.join() === span.marks.join())
      merged[merged.length - 1] = { text: last.text + span.text, marks: last.marks }
    else merged.push(span)
  }
  return merged.map((span) => paintSpan(span, style)).join('')
}
