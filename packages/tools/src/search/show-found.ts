import { truncateText } from '../files/text.ts'
import type { FoundLine } from './search-by-walking.ts'

export interface ShowOptions {
  readonly query: string
  /** Set if the search used words: files are then ranked by the number of words they contain. */
  readonly words: readonly string[] | undefined
  readonly output: 'lines' | 'files' | 'counts'
  readonly more: boolean
  readonly max: number
}

const maxLineLength = 300
const maxFiles = 20
const maxLinesPerFile = 3

export function showFound(found: readonly FoundLine[], options: ShowOptions): string {
  const matches = found.filter((line) => line.isMatch)
  if (matches.length === 0) return `No matches for ${truncateText(options.query, 200)}.`
  if (options.words !== undefined) return rankMatches(matches, options.words)
  const note = options.more
    ? [`[Only the first ${options.max} matches are shown. Narrow the query or give a path]`]
    : []
  if (options.output === 'lines') return [...found.map(lineOf), ...note].join('\n')
  const files = [...byFile(matches)]
  const shown =
    options.output === 'files'
      ? files.map(([file]) => file)
      : files.map(([file, lines]) => `${file}: ${lines.length}`)
  return [...shown, ...note].join('\n')
}

const stopWords = new Set(
  'the and for are how what where which who why does that this with from have has was were can all any not use used uses using into when find show me is it its in of on to by an or be do a i'.split(
    ' ',
  ),
)

/** True for a stop word. */
export function isStopWord(word: string): boolean {
  return stopWords.has(word)
}

/** Returns the searchable words of a question; all of it if none remain. */
export function wordsOf(query: string): string[] {
  const words = query.split(/[^\p{L}\p{N}_$.-]+/u).map((word) => word.replace(/^[.-]+|[.-]+$/g, ''))
  const telling = [...new Set(words.filter((word) => word.length > 1 && !stopWords.has(word.toLowerCase())))]
  return telling.length === 0 ? [query.trim()] : telling.slice(0, 20)
}

function rankMatches(matches: readonly FoundLine[], words: readonly string[]): string {
  const wanted = words.map((word) => word.toLowerCase())
  const files = [...byFile(matches)].map(([file, lines]) => {
    const scored = lines.map((line) => ({
      line,
      words: wanted.filter((word) => line.text.toLowerCase().includes(word)),
    }))
    const distinct = new Set(scored.flatMap((entry) => entry.words)).size
    return { file, distinct, lines: scored.sort((a, b) => b.words.length - a.words.length) }
  })
  files.sort(
    (a, b) => b.distinct - a.distinct || b.lines.length - a.lines.length || (a.file < b.file ? -1 : 1),
  )
  return files
    .slice(0, maxFiles)
    .flatMap(({ lines }) => lines.slice(0, maxLinesPerFile).map(({ line }) => lineOf(line)))
    .join('\n')
}

function byFile(matches: readonly FoundLine[]): Map<string, FoundLine[]> {
  const files = new Map<string, FoundLine[]>()
  for (const match of matches) {
    const lines = files.get(match.path)
    if (lines === undefined) files.set(match.path, [match])
    else lines.push(match)
  }
  return files
}

/** One line, cut to the displayed length. */
export function shownLine(text: string): string {
  const first = (text.split('\n', 1)[0] ?? '').trimEnd()
  return first.length > maxLineLength ? `${truncateText(first, maxLineLength)}…` : first
}

function lineOf({ path, line, text, isMatch }: FoundLine): string {
  const shown = shownLine(text)
  return isMatch ? `${path}:${line}: ${shown}` : `${path}-${line}- ${shown}`
}
