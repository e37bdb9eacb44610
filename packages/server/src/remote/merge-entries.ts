import type { Entry } from '@cadre/core'
import { entryKey } from '@cadre/journal'

/** More comparisons than this take too long. Everything between the equal start and the equal end then counts as replaced. */
const maxComparisons = 4_000_000

/**
 * Applies to a record what a person has changed in its file. `base` has the keys of the entries that the file had before the person's
 * changes. Entries that were recorded since stay, as if they had been recorded after the change. Only what the person added after the last
 * entry of the file follows them. If the person removed the end of the file, they get lower numbers, so that replies to removed entries
 * count as outdated.
 */
export function mergeEntries(
  base: readonly string[],
  edited: readonly Entry[],
  record: readonly Entry[],
): readonly Entry[] {
  const inEdited = align(base, edited.map(entryKey))
  const inRecord = align(base, record.map(entryKey))
  const merged: Entry[] = []
  const last = () => merged.at(-1)?.seq ?? 0
  const add = (entries: readonly Entry[]) => {
    for (const entry of entries) merged.push({ ...entry, seq: last() + 1 })
  }
  let from = { edited: 0, record: 0 }
  for (let at = 0; at <= base.length; at++) {
    const isEnd = at === base.length
    const to = {
      edited: isEnd ? edited.length : inEdited[at],
      record: isEnd ? record.length : inRecord[at],
    }
    const recorded = to.record === undefined ? [] : record.slice(from.record, to.record)
    const added = to.edited === undefined ? [] : edited.slice(from.edited, to.edited)
    // What replaces the end of the file was written before the later entries.
    const isReplacement = isEnd && base.length > 0 && inEdited.at(-1) === undefined
    if (!isReplacement) add(recorded)
    add(without(added, recorded))
    if (isReplacement) add(recorded)
    const kept = to.edited === undefined || to.record === undefined ? undefined : record[to.record]
    if (kept !== undefined) merged.push(kept.seq > last() ? kept : { ...kept, seq: last() + 1 })
    from = {
      edited: to.edited === undefined ? from.edited : to.edited + 1,
      record: to.record === undefined ? from.record : to.record + 1,
    }
  }
  return merged
}

/** An entry that both sides have added was added once. */
function without(entries: readonly Entry[], others: readonly Entry[]): readonly Entry[] {
  const known = others.map(entryKey)
  return entries.filter((entry) => {
    const at = known.indexOf(entryKey(entry))
    if (at >= 0) known.splice(at, 1)
    return at < 0
  })
}

/** For each element of `base` its position in `other`, or `undefined`: a longest common subsequence. */
function align(base: readonly string[], other: readonly string[]): (number | undefined)[] {
  const found: (number | undefined)[] = base.map(() => undefined)
  let start = 0
  while (start < base.length && start < other.length && base[start] === other[start]) {
    found[start] = start
    start++
  }
  let end = 0
  while (
    end < Math.min(base.length, other.length) - start &&
    base[base.length - 1 - end] === other[other.length - 1 - end]
  ) {
    end++
    found[base.length - end] = other.length - end
  }
  const rows = base.slice(start, base.length - end)
  const columns = other.slice(start, other.length - end)
  if (rows.length * columns.length > maxComparisons) return found
  /** The length of the common subsequence of what follows each pair. */
  const width = columns.length + 1
  const lengths = new Uint32Array((rows.length + 1) * width)
  const lengthAt = (row: number, column: number) => lengths[row * width + column] ?? 0
  for (let row = rows.length - 1; row >= 0; row--)
    for (let column = columns.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        rows[row] === columns[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1))
  for (let row = 0, column = 0; row < rows.length && column < columns.length; ) {
    if (rows[row] === columns[column]) found[start + row++] = start + column++
    else if (lengthAt(row + 1, column) >= lengthAt(row, column + 1)) row++
    else column++
  }
  return found
}
