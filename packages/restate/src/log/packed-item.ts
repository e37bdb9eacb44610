import type { Entry, SessionSpec } from '@cadre/core'
import type { Blobs } from '../blobs.ts'
import type { TreeOrder, TreeResult } from '../tree-order.ts'
import type { LogItem } from './log-item.ts'
import { type Packed, pack } from './packed.ts'

type Plain = Extract<LogItem, { t: 'open' | 'add' | 'edit' | 'close' }>['t']

/** A log item as the journal contains it. */
export type PackedItem =
  | Exclude<LogItem, { t: Plain }>
  | {
      readonly t: 'open'
      readonly id: string
      /** The root of the tree whose budget pays for it. Set for entry sessions only. */
      readonly charged?: string
      readonly spec: Packed<SessionSpec>
    }
  | { readonly t: 'add'; readonly id: string; readonly entries: readonly Packed<Entry>[] }
  | {
      readonly t: 'edit'
      readonly id: string
      readonly entries: readonly Packed<Entry>[]
      readonly summary: string
      readonly spec: Packed<SessionSpec> | null
    }
  /** Entries of the next `add` or `edit` of the session, which is too large for one journal entry. Without it, they have no effect. */
  | { readonly t: 'part'; readonly id: string; readonly entries: readonly Packed<Entry>[] }
  | PackedClose

export interface PackedClose {
  readonly t: 'close'
  readonly result: Packed<TreeResult>
  readonly isListening: boolean
  readonly orders: readonly Packed<TreeOrder>[]
}

/** Entries beyond this many characters are written as parts. */
const partLimit = 1 << 20

/** Returns the items for the journal: parts first. `spec`: returns the current spec of a session. */
export async function packItem(
  item: LogItem,
  limit: number,
  blobs: Blobs,
  spec: (id: string) => SessionSpec | undefined,
): Promise<readonly PackedItem[]> {
  const packAll = async (entries: readonly Entry[]) =>
    inParts(await Promise.all(entries.map((entry) => pack(entry, limit, blobs))))
  const partsOf = (id: string, parts: readonly (readonly Packed<Entry>[])[]) =>
    parts.slice(0, -1).map((entries): PackedItem => ({ t: 'part', id, entries }))
  switch (item.t) {
    case 'open': {
      const { id, parent, limits } = item.spec
      const charged = parent === undefined ? limits.charged?.root : undefined
      const payer = charged === undefined ? {} : { charged }
      return [{ t: 'open', id, ...payer, spec: await pack(item.spec, limit, blobs) }]
    }
    case 'add': {
      const { id } = item
      const parts = await packAll(item.entries)
      return [...partsOf(id, parts), { t: 'add', id, entries: parts.at(-1) ?? [] }]
    }
    case 'edit': {
      const { id, summary } = item
      const parts = await packAll(item.entries)
      const changed = item.systemPrompt === undefined ? undefined : spec(id)
      const packedSpec = changed === undefined ? null : await pack(changed, limit, blobs)
      const edit: PackedItem = { t: 'edit', id, entries: parts.at(-1) ?? [], summary, spec: packedSpec }
      return [...partsOf(id, parts), edit]
    }
    case 'close':
      return [{ ...item, result: await pack(item.result, limit, blobs) }]
    default:
      return [item]
  }
}

function inParts(entries: readonly Packed<Entry>[]): (readonly Packed<Entry>[])[] {
  const parts: Packed<Entry>[][] = [[]]
  let length = 0
  for (const entry of entries) {
    const size = JSON.stringify(entry).length
    if (length > 0 && length + size > partLimit) {
      parts.push([])
      length = 0
    }
    parts.at(-1)?.push(entry)
    length += size
  }
  return parts
}
