import { truncateText } from './text.ts'

// Limits the work: this is only a hint and must be fast.
const maxLines = 20_000
const maxLineLength = 200
const maxShown = 3

/** Returns a hint: the lines most similar to the first line of a text that was not found. */
export function nearestLines(text: string, wanted: string): string {
  const first = wanted
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim()
  if (first === undefined) return 'Read the file first.'
  const lines = text.split('\n', maxLines)
  const sameButSpaces = lines.findIndex((line) => collapseSpaces(line) === collapseSpaces(first))
  if (sameButSpaces !== -1) {
    return `Line ${sameButSpaces + 1} is similar, but has different spaces, or different lines after it. Read the file from there.`
  }
  const pairs = pairsOf(first)
  const best = lines
    .map((line, index) => ({ line: line.trim(), number: index + 1, likeness: 0 }))
    .filter(({ line }) => line.length > first.length / 3 && line.length < first.length * 3)
    .map((candidate) => ({ ...candidate, likeness: similarity(pairs, candidate.line) }))
    .filter(({ likeness }) => likeness > 0.5)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, maxShown)
  if (best.length === 0) return 'No line is similar. Read the file first.'
  return `Most similar: ${best.map(({ line, number }) => `line ${number}: ${truncateText(line, 120)}`).join(' | ')}`
}

function collapseSpaces(line: string): string {
  return line.replace(/\s+/g, ' ').trim()
}

function pairsOf(line: string): Set<string> {
  const pairs = new Set<string>()
  const letters = truncateText(line, maxLineLength).toLowerCase()
  for (let at = 0; at < letters.length - 1; at++) pairs.add(letters.slice(at, at + 2))
  return pairs
}

/** The fraction of letter pairs that two lines share, from 0 to 1. */
function similarity(pairs: ReadonlySet<string>, line: string): number {
  const others = pairsOf(line)
  if (pairs.size === 0 || others.size === 0) return 0
  let common = 0
  for (const pair of others) if (pairs.has(pair)) common++
  return (2 * common) / (pairs.size + others.size)
}
