import { diffWordsWithSpace } from 'diff'
import type { PatchLine } from './patch-lines.ts'

export interface WordPart {
  readonly text: string
  readonly isChanged: boolean
}

const longestLine = 500
const mostPairs = 500

/**
 * The words that differ between a removed line and the added line that replaces it, by line number. Only if the same number of lines
 * were added and removed: otherwise it is not clear which line replaces which.
 */
export function wordChanges(lines: readonly PatchLine[]): ReadonlyMap<number, readonly WordPart[]> {
  const words = new Map<number, readonly WordPart[]>()
  for (const [before, after] of pairsOf(lines).slice(0, mostPairs)) {
    const [old, now] = [lines[before]?.text ?? '', lines[after]?.text ?? '']
    if (old.length > longestLine || now.length > longestLine) continue
    const changes = diffWordsWithSpace(old, now)
    // Lines that have nothing in common are easier to read without highlights.
    if (!changes.some(({ added, removed, value }) => !added && !removed && value.trim() !== '')) continue
    words.set(
      before,
      changes
        .filter(({ added }) => !added)
        .map(({ value, removed }) => ({ text: value, isChanged: removed })),
    )
    words.set(
      after,
      changes
        .filter(({ removed }) => !removed)
        .map(({ value, added }) => ({ text: value, isChanged: added })),
    )
  }
  return words
}

function pairsOf(lines: readonly PatchLine[]): [number, number][] {
  const pairs: [number, number][] = []
  for (let at = 0; at < lines.length; ) {
    const removed = countFrom(lines, at, 'removed')
    const added = countFrom(lines, at + removed, 'added')
    if (removed > 0 && removed === added)
      for (let index = 0; index < removed; index++) pairs.push([at + index, at + removed + index])
    at += Math.max(1, removed + added)
  }
  return pairs
}

function countFrom(lines: readonly PatchLine[], from: number, kind: PatchLine['kind']): number {
  let count = 0
  while (lines[from + count]?.kind === kind) count += 1
  return count
}
