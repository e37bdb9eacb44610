import type { RawText } from './raw-text.ts'

export interface Line {
  /** Counted from 1. */
  readonly number: number
  readonly start: number
  /** After the line ending. */
  readonly end: number
  readonly text: RawText
  readonly eol: string
}

export interface LinesRange {
  /** The start of a line, and its number. */
  readonly from: number
  readonly number: number
  /** The start of a line, or the end of the text. */
  readonly to: number
}

/** A line ends with a line feed. A carriage return before it is part of the line ending. */
export function linesOf(
  raw: RawText,
  { from, number, to }: LinesRange = { from: 0, number: 1, to: raw.length },
): Line[] {
  const lines: Line[] = []
  for (let start = from; start < to; ) {
    const at = raw.indexOf('\n', start)
    const end = at === -1 ? raw.length : at + 1
    const stop = at === -1 ? raw.length : raw[at - 1] === '\r' && at > start ? at - 1 : at
    lines.push({
      number: number + lines.length,
      start,
      end,
      text: raw.slice(start, stop),
      eol: raw.slice(stop, end),
    })
    start = end
  }
  return lines
}

const byteOrderMark = '\u00ef\u00bb\u00bf'

/** All lines, without a byte order mark. */
export function linesAfterByteOrderMark(raw: RawText, range?: LinesRange): Line[] {
  const lines = linesOf(raw, range)
  const [first] = lines
  if (first?.start === 0 && first.text.startsWith(byteOrderMark))
    lines[0] = { ...first, start: first.start + 3, text: first.text.slice(3) }
  return lines
}

// Lists white space explicitly: `\s` also matches bytes that are parts of other characters here.
export function isBlank(text: RawText): boolean {
  for (let at = 0; at < text.length; at++) if (text[at] !== ' ' && text[at] !== '\t') return false
  return true
}

/** The indentation of a line. A level is two columns, and a tab advances to the next level. */
export function widthOf(text: RawText): number {
  let width = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === ' ') width += 1
    else if (text[at] === '\t') width += 2 - (width % 2)
    else break
  }
  return width
}

/** The line ending of a file, taken from its first line. */
export function lineEndingOf(raw: RawText): string {
  const at = raw.indexOf('\n')
  return at > 0 && raw[at - 1] === '\r' ? '\r\n' : '\n'
}
