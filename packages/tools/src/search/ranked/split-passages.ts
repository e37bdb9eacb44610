/** A part of a file that is found as a whole. */
export interface Passage {
  /** Of its first line, counted from 1. */
  readonly line: number
  readonly lines: number
  /** The headings it stands under, the outermost first; empty where there are none. */
  readonly heading: string
  readonly text: string
}

const mostLines = 30
const fewestLines = 12
const longestLine = 1_000
const mostPassages = 2_000

/** Prose by its headings, everything else by empty lines, none longer than a page. A passage without any word is left out. */
export function splitPassages(text: string, file: string): Passage[] {
  const lines = text.split(/\r\n|\n|\r/)
  const sections = /\.(md|markdown|mdx)$/i.test(file) ? sectionsOf(lines) : [whole(lines)]
  const passages: Passage[] = []
  for (const { from, to, heading } of sections) {
    for (let at = from; at < to; ) {
      const end = endOf(lines, at, to)
      const part = lines.slice(at, end).map((line) => line.slice(0, longestLine))
      if (part.some((line) => /[\p{L}\p{N}]/u.test(line)))
        passages.push({ line: at + 1, lines: end - at, heading, text: part.join('\n') })
      if (passages.length === mostPassages) return passages
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

function whole(lines: readonly string[]): Section {
  return { from: 0, to: lines.length, heading: '' }
}

/** A `#` in a block of code is no heading. */
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

/** Ends at the last empty line that leaves enough before it, else when the page is full. */
function endOf(lines: readonly string[], from: number, to: number): number {
  if (to - from <= mostLines) return to
  for (let at = from + mostLines; at > from + fewestLines; at--)
    if ((lines[at - 1] ?? '').trim() === '') return at
  return from + mostLines
}
