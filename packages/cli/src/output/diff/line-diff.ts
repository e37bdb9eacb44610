/** A line of a diff; numbers start at 1, in the text that contains the line. */
export type DiffLine =
  | { readonly kind: 'same'; readonly text: string; readonly before: number; readonly after: number }
  | { readonly kind: 'removed'; readonly text: string; readonly before: number }
  | { readonly kind: 'added'; readonly text: string; readonly after: number }

/** Texts with more changes are shown as one replaced by the other, because the comparison needs quadratic memory. */
const maxChanges = 1_000

/** The shortest edit script between two lists of lines (Myers). */
export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1
  const same = (from: number, to: number, shift: number): DiffLine[] =>
    before.slice(from, to).map((text, index) => ({
      kind: 'same',
      text,
      before: from + index + 1,
      after: from + index + 1 + shift,
    }))
  const middle = compare(before.slice(start, before.length - end), after.slice(start, after.length - end))
  return [
    ...same(0, start, 0),
    ...middle.map((line) => shiftLine(line, start)),
    ...same(before.length - end, before.length, after.length - before.length),
  ]
}

function shiftLine(line: DiffLine, by: number): DiffLine {
  if (line.kind === 'same') return { ...line, before: line.before + by, after: line.after + by }
  return line.kind === 'removed' ? { ...line, before: line.before + by } : { ...line, after: line.after + by }
}

function compare(before: readonly string[], after: readonly string[]): DiffLine[] {
  const trace: Int32Array[] = []
  const maxSteps = Math.min(maxChanges, before.length + after.length)
  const offset = maxSteps + 1
  let furthest = new Int32Array(2 * maxSteps + 3)
  for (let changes = 0; changes <= maxSteps; changes++) {
    trace.push(furthest.slice())
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = nextX(furthest, diagonal, changes, offset)
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1
      furthest[offset + diagonal] = x
      if (x >= before.length && x - diagonal >= after.length) return walkBack(trace, before, after, offset)
    }
  }
  furthest = new Int32Array(0)
  return [
    ...before.map((text, index): DiffLine => ({ kind: 'removed', text, before: index + 1 })),
    ...after.map((text, index): DiffLine => ({ kind: 'added', text, after: index + 1 })),
  ]
}

function nextX(furthest: Int32Array, diagonal: number, changes: number, offset: number): number {
  const below = furthest[offset + diagonal + 1] as number
  const above = furthest[offset + diagonal - 1] as number
  const isDown = diagonal === -changes || (diagonal !== changes && above < below)
  return isDown ? below : above + 1
}

function walkBack(
  trace: readonly Int32Array[],
  before: readonly string[],
  after: readonly string[],
  offset: number,
): DiffLine[] {
  const lines: DiffLine[] = []
  let x = before.length
  let y = after.length
  const stay = () => {
    x -= 1
    y -= 1
    lines.push({ kind: 'same', text: before[x] as string, before: x + 1, after: y + 1 })
  }
  for (let changes = trace.length - 1; changes > 0; changes--) {
    const furthest = trace[changes] as Int32Array
    const diagonal = x - y
    const below = furthest[offset + diagonal + 1] as number
    const above = furthest[offset + diagonal - 1] as number
    const isDown = diagonal === -changes || (diagonal !== changes && above < below)
    const fromX = isDown ? below : above
    const fromY = isDown ? below - diagonal - 1 : above - diagonal + 1
    while (x > fromX && y > fromY) stay()
    if (isDown) {
      y -= 1
      lines.push({ kind: 'added', text: after[y] as string, after: y + 1 })
    } else {
      x -= 1
      lines.push({ kind: 'removed', text: before[x] as string, before: x + 1 })
    }
  }
  while (x > 0 && y > 0) stay()
  return lines.reverse()
}
