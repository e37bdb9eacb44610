import type { Entry, SessionSpec } from '@cadre/core'
import type { TreeOrder, TreeResult } from '../tree-order.ts'
import type { LogItem } from './log-item.ts'
import { type Packed, packJson, type Stored } from './packed.ts'

type Plain = Extract<LogItem, { t: 'open' | 'add' | 'edit' | 'close' }>['t']

/** A log item as the journal contains it. */
export type PackedItem =
  | Exclude<LogItem, { t: Plain }>
  | {
      readonly t: 'open'
      readonly id: string
      /** The root of the tree whose budget pays for it. Set for entry sessions only. */
      readonly charged?: string
      readonly spec: Stored<SessionSpec>
    }
  | { readonly t: 'add'; readonly id: string; readonly entries: readonly Stored<Entry>[] }
  | {
      readonly t: 'edit'
      readonly id: string
      readonly entries: readonly Stored<Entry>[]
      readonly summary: string
      readonly spec: Stored<SessionSpec> | null
    }
  /** Entries of the next `add` or `edit` of the session, which is too large for one journal entry. Without it, they have no effect. */
  | { readonly t: 'part'; readonly id: string; readonly entries: readonly Stored<Entry>[] }
  | PackedClose

export interface PackedClose {
  readonly t: 'close'
  readonly result: Packed<TreeResult>
  readonly isListening: boolean
  readonly orders: readonly Packed<TreeOrder>[]
  readonly taken?: number
}

/** An item and its JSON. */
export interface WrittenItem {
  readonly packed: PackedItem
  readonly json: string
}

export interface PackOptions {
  /** Texts with more characters become blobs. */
  readonly limit: number
  /** Packs a large value. */
  readonly store: <T>(value: T) => Promise<Packed<T>>
  /** Returns the current spec of a session. */
  readonly spec: (id: string) => SessionSpec | undefined
}

/** Entries beyond this many characters are written as parts. */
const partLimit = 1 << 20

/** Returns the items for the journal: parts first. The result is a promise only if something has to be stored elsewhere. */
export function packItem(
  item: LogItem,
  options: PackOptions,
): readonly WrittenItem[] | Promise<readonly WrittenItem[]> {
  const { limit, store } = options
  switch (item.t) {
    case 'open': {
      const { id, parent, limits } = item.spec
      const charged = parent === undefined ? limits.charged?.root : undefined
      const payer = charged === undefined ? {} : { charged }
      return after(packJson(item.spec, limit, store), (spec) => [
        {
          packed: { t: 'open', id, ...payer, spec },
          json: `${JSON.stringify({ t: 'open', id, ...payer }).slice(0, -1)},"spec":${spec}}`,
        },
      ])
    }
    case 'add': {
      const { id } = item
      return after(packAll(item.entries, options), (all) =>
        inParts(id, all, (entries) => withEntries({ t: 'add', id }, entries)),
      )
    }
    case 'edit': {
      const { id, summary } = item
      const changed = item.systemPrompt === undefined ? undefined : options.spec(id)
      const packedSpec = changed === undefined ? null : packJson(changed, limit, store)
      return after(packAll(item.entries, options), (all) =>
        after(packedSpec, (text) => {
          const spec = text === null ? null : (JSON.parse(text) as Packed<SessionSpec>)
          return inParts(id, all, (entries) => withEntries({ t: 'edit', id, summary, spec }, entries))
        }),
      )
    }
    case 'close':
      return after(packJson(item.result, limit, store), (text) => {
        const packed: PackedItem = { ...item, result: JSON.parse(text) as Packed<TreeResult> }
        return [{ packed, json: JSON.stringify(packed) }]
      })
    default:
      return [{ packed: item, json: JSON.stringify(item) }]
  }
}

/** A promise for each of thousands of entries would take much of the time. */
function after<T, R>(value: T | Promise<T>, work: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(work) : work(value)
}

function packAll(entries: readonly Entry[], { limit, store }: PackOptions): string[] | Promise<string[]> {
  const texts = entries.map((entry) => packJson(entry, limit, store))
  return texts.every((text) => typeof text === 'string') ? texts : Promise.all(texts)
}

type Entryless<T> = T extends { readonly entries: unknown } ? Omit<T, 'entries'> : never

function withEntries(item: Entryless<PackedItem>, entries: readonly string[]): WrittenItem {
  const json = `${JSON.stringify(item).slice(0, -1)},"entries":[${entries.join()}]}`
  return { packed: { ...item, entries } as PackedItem, json }
}

function inParts(
  id: string,
  entries: readonly string[],
  last: (entries: readonly string[]) => WrittenItem,
): readonly WrittenItem[] {
  const parts: WrittenItem[] = []
  let part: string[] = []
  let length = 0
  for (const entry of entries) {
    if (length > 0 && length + entry.length > partLimit) {
      parts.push(withEntries({ t: 'part', id }, part))
      part = []
      length = 0
    }
    part.push(entry)
    length += entry.length
  }
  return [...parts, last(part)]
}
