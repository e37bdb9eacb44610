import { CadreError, type Draft, type Entry } from '@cadre/core'
import type { TreeLog } from '../log/tree-log.ts'
import type { TreeMessage } from '../tree-order.ts'

/** Records what a person has changed in a session's record. A later attempt may repeat the message, so it has no effect if it is recorded. */
export async function recordEdit(
  log: TreeLog,
  { session, id, entries, base, summary, systemPrompt }: Extract<TreeMessage, { kind: 'edit' }>,
): Promise<void> {
  const current = (await log.load(session))?.entries
  if (current === undefined) throw new CadreError('not_found', `there is no session ${session}.`)
  if (current.some((entry) => entry.role === 'event' && entry['edit'] === id)) return
  const merged = merge(current, entries, base)
  const note: Draft = { role: 'event', type: 'journal.edited', content: summary, edit: id }
  const timestamp = new Date(log.clock.now()).toISOString()
  log.add({
    t: 'edit',
    id: session,
    entries: [...merged, { ...note, seq: nextSeq(merged), timestamp } as Entry],
    summary,
    ...(systemPrompt !== undefined && { systemPrompt }),
  })
}

/**
 * The session may have recorded more since the person read its record. If the person only added entries, they come last. Otherwise the
 * later entries follow the edited ones, with the next numbers, as if they had been recorded after the edit: a reply to entries that the
 * person removed then counts as outdated.
 */
function merge(current: readonly Entry[], edited: readonly Entry[], base: number): readonly Entry[] {
  const known = current.filter(({ seq }) => seq <= base)
  // Compared as JSON, because the edit has no `undefined` values.
  const isExtended = known.every((entry, index) => JSON.stringify(entry) === JSON.stringify(edited[index]))
  if (isExtended) return renumbered(current, edited.slice(known.length))
  return renumbered(edited, current.slice(known.length))
}

function renumbered(first: readonly Entry[], then: readonly Entry[]): readonly Entry[] {
  const next = nextSeq(first)
  return [...first, ...then.map((entry, index) => ({ ...entry, seq: next + index }))]
}

function nextSeq(entries: readonly Entry[]): number {
  return (entries.at(-1)?.seq ?? 0) + 1
}
