/** One line of a file, with its line ending. */
export interface Line {
  readonly text: string
  /** `\n`, `\r\n`, `\r`, or nothing at the end of the file. */
  readonly end: string
}

export function linesOf(text: string): Line[] {
  const lines: Line[] = []
  const ends = /\r\n|\n|\r/g
  let start = 0
  for (let match = ends.exec(text); match !== null; match = ends.exec(text)) {
    lines.push({ text: text.slice(start, match.index), end: match[0] })
    start = ends.lastIndex
  }
  lines.push({ text: text.slice(start), end: '' })
  return lines
}

export function joinLines(lines: readonly Line[]): string {
  return lines.map(({ text, end }) => text + end).join('')
}

/** Returns the most common line ending. Cadre never writes a lone carriage return. */
export function commonLineEnding(lines: readonly Line[]): string {
  const windows = lines.filter(({ end }) => end === '\r\n').length
  return windows > lines.filter(({ end }) => end === '\n').length ? '\r\n' : '\n'
}
