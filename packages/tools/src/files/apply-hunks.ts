import { nearestLines } from './nearest-lines.ts'
import type { Hunk } from './parse-patch.ts'
import { lineEndOf } from './text.ts'

export type PatchedText =
  | { readonly kind: 'patched'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Applies the hunks of one file in order: all or none. Line endings stay those of the file. */
export function applyHunks(text: string, hunks: readonly Hunk[], shown: string): PatchedText {
  const lineEnd = lineEndOf(text)
  const endsWithNewline = text === '' || text.endsWith('\n')
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  if (endsWithNewline) lines.pop()
  let from = 0
  for (const [index, hunk] of hunks.entries()) {
    const place = placeOf(lines, hunk, from)
    if (typeof place === 'string') {
      const which = hunks.length === 1 ? 'The change' : `Change ${index + 1} of ${hunks.length}`
      return { kind: 'failed', reason: `${which} to ${shown} failed: ${place}` }
    }
    lines.splice(place, hunk.old.length, ...hunk.new)
    from = place + hunk.new.length
  }
  const result = lines.join(lineEnd)
  return { kind: 'patched', text: endsWithNewline && lines.length > 0 ? result + lineEnd : result }
}

/** Returns the inverse change. */
export function reverseHunks(hunks: readonly Hunk[]): Hunk[] {
  return hunks.map((hunk) => ({ ...hunk, old: hunk.new, new: hunk.old }))
}

/** Returns the line of a hunk, or why it is unknown. */
function placeOf(lines: readonly string[], hunk: Hunk, from: number): number | string {
  let start = from
  for (const anchor of hunk.anchors) {
    const at = lines.findIndex((line, index) => index >= start && line.trim() === anchor)
    if (at === -1) return `the line ${JSON.stringify(anchor)} was not found. Read the file again.`
    start = at + 1
  }
  if (hunk.old.length === 0) return hunk.atEnd || hunk.anchors.length === 0 ? lines.length : start
  for (const same of [isEqual, equalsIgnoringTrailingSpace]) {
    const places = placesOf(lines, hunk.old, start, same)
    const atEnd = places.filter((place) => place + hunk.old.length === lines.length)
    const found = hunk.atEnd && atEnd.length > 0 ? atEnd : places
    const [place] = found
    if (place === undefined) continue
    if (found.length > 1 && hunk.anchors.length === 0) {
      const numbers = found.slice(0, 10).map((at) => at + 1)
      return `the hunk's lines were found ${found.length} times, at lines ${numbers.join(', ')}. Include more of the surrounding lines.`
    }
    return place
  }
  return `the hunk's lines were not found. ${nearestLines(lines.join('\n'), hunk.old.join('\n'))}`
}

function placesOf(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  same: typeof isEqual,
): number[] {
  const places: number[] = []
  for (let at = from; at + wanted.length <= lines.length; at++) {
    if (wanted.every((line, index) => same(lines[at + index] as string, line))) places.push(at)
  }
  return places
}

function isEqual(a: string, b: string): boolean {
  return a === b
}

function equalsIgnoringTrailingSpace(a: string, b: string): boolean {
  return a.trimEnd() === b.trimEnd()
}
