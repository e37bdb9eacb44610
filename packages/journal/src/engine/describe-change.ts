import type { Entry } from '@cadre/core'
import { emitEntry } from '../format/emit-entry.ts'

interface Version {
  readonly entries: readonly Entry[]
  readonly systemPrompt: string
}

/** Describes a person's edit in one sentence. Returns `undefined` if both versions are equal. */
export function describeChange(before: Version, after: Version): string | undefined {
  const old = before.entries.map(textOf)
  const now = after.entries.map(textOf)
  const added = countMissing(now, old)
  const removed = countMissing(old, now)
  const parts = [
    ...(added > 0 ? [`${entries(added)} added`] : []),
    ...(removed > 0 ? [`${entries(removed)} removed`] : []),
    ...(added + removed === 0 && old.some((text, index) => text !== now[index]) ? ['entries reordered'] : []),
    ...(before.systemPrompt !== after.systemPrompt ? ['system prompt changed'] : []),
  ]
  return parts.length === 0 ? undefined : `The session file was changed: ${parts.join(', ')}.`
}

function textOf(entry: Entry): string {
  return emitEntry({ ...entry, seq: 0 })
}

/** Counts the elements of `these` that are missing from `others`, including duplicates. */
function countMissing(these: readonly string[], others: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const text of others) counts.set(text, (counts.get(text) ?? 0) + 1)
  return these.filter((text) => {
    const count = counts.get(text) ?? 0
    counts.set(text, count - 1)
    return count <= 0
  }).length
}

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`
}
