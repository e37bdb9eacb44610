/** A part of a file that is found as a unit. */
export interface Passage {
  /** The number of its first line, from 1. */
  readonly line: number
  readonly lines: number
  /** The headings above it, outermost first; empty if there are none. */
  readonly heading: string
  readonly text: string
}

const maxLines = 30
const minLines = 12
const maxLineLength = 1_000
const maxPassages = 2_000

/** Splits prose at headings and everything else at empty lines, into at most a page each. Omits passages without words. */
export function splitPassages(text: string, file: string): Passage[] {
  const lines = text.split(/\r\n|\n|\r/)
  const sections = /\.(md|markdown|mdx)$/i.test(file) ? sectionsOf(lines) : [wholeSection(lines)]
  const passages: Passage[] = []
  for (const { from, to, heading } of sections) {
    for (let at = from; at < to; ) {
      const end = endOf(lines, at, to)
      const part = lines.slice(at, end).map((line) => line.slice(0, maxLineLength))
      if (part.some((line) => /[\p{L}\p{N}]/u.test(line)))
        passages.push({ line: at + 1, lines: end - at, heading, text: part.join('\n') })
      if (passages.length === maxPassages) return passages
      at = end
    }
  }
  return passages
}

interface Section {
  readonly from: number
  readonly to: number
  readonly heading: string
}

function wholeSection(lines: readonly string[]): Section {
  return { from: 0, to: lines.length, heading: '' }
}

/** A `#` in a code block is not a heading. */
function sectionsOf(lines: readonly string[]): Section[] {
  const sections: Section[] = []
  const above: string[] = []
  let fence: string | undefined
  let from = 0
  let heading = ''
  lines.forEach((line, at) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      return
    }
    if (mark !== undefined) {
      fence = mark
      return
    }
    const [, level, title] = /^ {0,3}(#{1,6})[ \t]+(.{0,200})/.exec(line) ?? []
    if (level === undefined || title === undefined) return
    if (at > from) sections.push({ from, to: at, heading })
    above.length = level.length - 1
    above[level.length - 1] = title.replace(/[ \t]+#*[ \t]*$/, '')
    heading = above.filter((part) => part !== undefined && part !== '').join(' › ')
    from = at
  })
  sections.push({ from, to: lines.length, heading })
  return sections
}

/** Ends at the last empty line with enough text before it, otherwise when the page is full. */
function endOf(lines: readonly string[], from: number, to: number): number {
  if (to - from <= maxLines) return to
  for (let at = from + maxLines; at > from + minLines; at--)
    if ((lines[at - 1] ?? '').trim() === '') return at
  return from + maxLines
}
