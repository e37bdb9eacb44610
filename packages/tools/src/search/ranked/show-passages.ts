import { truncateText } from '../../files/text.ts'
import { shownLine } from '../show-found.ts'
import type { FoundPassage, RankedResult } from './ranked-search.ts'
import { splitIntoWords, termOf } from './terms.ts'

const maxLines = 10

export interface ShownPart {
  /** The prefix of its paths. */
  readonly prefix: string
  /** The source of its passages; absent for the workspace itself. */
  readonly label?: string
  readonly answer: RankedResult
}

/** Formats the results, best first, each with its location and the most relevant lines. */
export function showPassages(query: string, meaning: boolean, parts: readonly ShownPart[]): string {
  const notes = [...new Set(parts.flatMap(({ answer }) => answer.notes))].map((note) => `[${note}]`)
  const wanted = new Set(splitIntoWords(query).flatMap((word) => termOf(word) ?? []))
  const shown = mergeByScore(parts).map(({ prefix, passage }, at) =>
    passageText(at + 1, prefix, passage, wanted),
  )
  const labels = parts.flatMap(({ prefix, label, answer }) =>
    label === undefined || answer.passages.length === 0 ? [] : [`[${prefix} is ${label}]`],
  )
  if (shown.length === 0) return [`No matches for ${truncateText(query, 200)}.`, ...notes].join('\n')
  const fellBack = notes.some((note) => note.includes('by words instead'))
  const head = `[passages ranked by ${meaning && !fellBack ? 'meaning' : 'words'}, best first]`
  return [head, ...labels, ...shown, ...notes].join('\n')
}

interface PlacedPassage {
  readonly prefix: string
  readonly passage: FoundPassage
}

/** Merges the parts into one list by score, keeping the order within each part. */
function mergeByScore(parts: readonly ShownPart[]): PlacedPassage[] {
  const left = parts.map(({ prefix, answer }) => ({ prefix, passages: [...answer.passages] }))
  const all: PlacedPassage[] = []
  for (;;) {
    const waiting = left.filter(({ passages }) => passages.length > 0)
    const [first, ...others] = waiting
    if (first === undefined) return all
    const weightOf = ({ passages }: typeof first) => passages[0]?.weight ?? 0
    const best = others.reduce((one, other) => (weightOf(other) > weightOf(one) ? other : one), first)
    const passage = best.passages.shift()
    if (passage !== undefined) all.push({ prefix: best.prefix, passage })
  }
}

function passageText(
  rank: number,
  prefix: string,
  passage: FoundPassage,
  wanted: ReadonlySet<string>,
): string {
  const { path, heading, lines } = passage
  const from = bestLine(lines, wanted)
  const title = heading === '' ? '' : ` ${shownLine(heading)}`
  const shown = lines
    .slice(from, from + maxLines)
    .map((text, at) => `  ${passage.line + from + at}: ${shownLine(text)}`)
  while (shown.at(-1)?.endsWith(': ') === true) shown.pop()
  return [`${rank}. ${prefix}${path}:${passage.line + from}${title}`, ...shown].join('\n')
}

/** Returns the start of the part of a passage that has most of the words. */
function bestLine(lines: readonly string[], wanted: ReadonlySet<string>): number {
  if (lines.length <= maxLines) return 0
  const perLine = lines.map(
    (line) =>
      new Set(
        splitIntoWords(line)
          .flatMap((word) => termOf(word) ?? [])
          .filter((term) => wanted.has(term)),
      ),
  )
  let best = 0
  let most = -1
  for (let from = 0; from + maxLines <= lines.length; from++) {
    const count = new Set(perLine.slice(from, from + maxLines).flatMap((terms) => [...terms])).size
    if (count > most) {
      most = count
      best = from
    }
  }
  return best
}
