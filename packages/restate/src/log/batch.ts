import type { PackedItem, WrittenItem } from './packed-item.ts'

/** The result of one journal entry. */
export interface Batch {
  readonly bytes: Uint8Array
  /** How many items it has. The others did not fit. */
  readonly count: number
}

/** Far below the 32 MiB that the server accepts. A single item is at most a few MB, because its large texts are blobs. */
const batchLimit = 4 << 20

/** Creates a batch from the first items, as many as fit, and at least one. */
export function createBatch(items: readonly WrittenItem[]): Batch {
  const texts: string[] = []
  let length = 0
  for (const { json } of items) {
    if (texts.length > 0 && length + json.length > batchLimit) break
    texts.push(json)
    length += json.length
  }
  return { bytes: new TextEncoder().encode(`[${texts.join()}]`), count: texts.length }
}

export function itemsOf({ bytes }: Pick<Batch, 'bytes'>): readonly PackedItem[] {
  return JSON.parse(new TextDecoder().decode(bytes)) as PackedItem[]
}
