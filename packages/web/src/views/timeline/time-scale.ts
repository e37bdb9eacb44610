export interface Interval {
  readonly from: number
  readonly to: number
}

/** Maps times to positions between 0 and 1. Long idle periods are shortened to a fixed, marked width. */
export interface TimeScale {
  readonly from: number
  readonly to: number
  place(time: number): number
  /** The shortened periods, with their positions. */
  readonly folds: readonly (Interval & { readonly place: number; readonly width: number })[]
}

/** A shortened period's share of the width. */
const foldWidth = 0.03

/**
 * Shortens every gap between the intervals that is longer than one minute and longer than a tenth of the total busy time. Never shortens busy
 * periods, and never places earlier times to the right of later ones.
 */
export function timeScale(busy: readonly Interval[]): TimeScale {
  const merged = mergeIntervals(busy)
  const from = merged[0]?.from ?? 0
  const to = merged.at(-1)?.to ?? from
  const total = merged.reduce((sum, one) => sum + one.to - one.from, 0)
  const longest = Math.max(60_000, total / 10)
  const gaps = merged
    .slice(1)
    .map((next, at) => ({ from: (merged[at] as Interval).to, to: next.from }))
    .filter((gap) => gap.to - gap.from > longest)
  const folded = gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0)
  const width = Math.min(foldWidth, 0.5 / Math.max(1, gaps.length))
  const shown = Math.max(1, to - from - folded)
  const perMs = (1 - width * gaps.length) / shown
  const place = (time: number): number => {
    let at = Math.max(from, Math.min(to, time)) - from
    let folds = 0
    for (const gap of gaps) {
      if (time <= gap.from) break
      const inside = Math.min(time, gap.to) - gap.from
      at -= inside
      folds += (inside / (gap.to - gap.from)) * width
    }
    return Math.max(0, Math.min(1, at * perMs + folds))
  }
  return { from, to, place, folds: gaps.map((gap) => ({ ...gap, place: place(gap.from), width })) }
}

/** The times at which at least one interval runs, in order. */
export function mergeIntervals(intervals: readonly Interval[]): Interval[] {
  const merged: { from: number; to: number }[] = []
  for (const { from, to } of [...intervals].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else merged.push({ from, to })
  }
  return merged
}
