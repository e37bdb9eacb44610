import { parseJson, type Usage } from '@cadre/core'
import type { Embed } from './embed.ts'
import type { IndexStore } from './index-store.ts'

const name = 'vectors-1'
/** Small enough that a budget need not be large to cover one. */
const batch = 32
/** Stored after this many, so that a cancelled search keeps its progress. */
const minVectorsToStore = 512

export interface PassageText {
  readonly hash: string
  /** Read only if it has no vector yet; undefined if it is gone. */
  readonly text: () => Promise<string | undefined>
}

/** The vectors of a folder's passages, by their content. Derived, like the index: missing ones are rebuilt. */
export class Vectors {
  private readonly known: Map<string, Float32Array>
  private unsaved = 0
  private readonly at: { readonly folder: string; readonly store: IndexStore; readonly embed: Embed }

  private constructor(at: Vectors['at'], known: Map<string, Float32Array>) {
    this.at = at
    this.known = known
  }

  static async open(folder: string, store: IndexStore, embed: Embed): Promise<Vectors> {
    const kept = await store.load(folder, name)
    return new Vectors({ folder, store, embed }, kept === undefined ? new Map() : read(kept, embed.key))
  }

  /** Computes missing vectors. Rejects if the module fails. */
  async complete(
    asked: readonly PassageText[],
    signal: AbortSignal,
    spent: (usage: Usage) => void,
  ): Promise<void> {
    const missing = asked.filter(({ hash }) => !this.known.has(hash))
    for (let at = 0; at < missing.length; at += batch) {
      signal.throwIfAborted()
      const part = missing.slice(at, at + batch)
      const texts = await Promise.all(part.map(({ text }) => text()))
      const there = part.flatMap(({ hash }, i) => (texts[i] === undefined ? [] : [{ hash, text: texts[i] }]))
      const vectors =
        there.length === 0
          ? []
          : await this.at.embed.embed(
              there.map(({ text }) => text),
              signal,
              spent,
            )
      for (const [i, { hash }] of there.entries()) this.known.set(hash, normaliseVector(vectors[i] ?? []))
      this.unsaved += there.length
      if (this.unsaved >= minVectorsToStore) await this.save(undefined)
    }
    const wanted = new Set(asked.map(({ hash }) => hash))
    // Removes vectors of passages that are deleted or hidden.
    if (this.unsaved > 0 || [...this.known.keys()].some((hash) => !wanted.has(hash))) await this.save(wanted)
  }

  /** The similarity of a passage to a question, from -1 to 1; undefined if it has no comparable vector. */
  nearness(hash: string, question: Float32Array): number | undefined {
    const vector = this.known.get(hash)
    if (vector === undefined || vector.length !== question.length) return undefined
    let sum = 0
    for (let at = 0; at < vector.length; at++) sum += (vector[at] as number) * (question[at] as number)
    return sum
  }

  /** Omits deleted passages, if the existing ones are known. */
  private async save(wanted: ReadonlySet<string> | undefined): Promise<void> {
    const { folder, store, embed } = this.at
    if (wanted !== undefined)
      for (const hash of this.known.keys()) if (!wanted.has(hash)) this.known.delete(hash)
    const entries = [...this.known]
    const length = entries[0]?.[1].length ?? 0
    const same = entries.filter(([, vector]) => vector.length === length)
    const head = `${JSON.stringify({ key: embed.key, length, hashes: same.map(([hash]) => hash) })}\n`
    const numbers = same.map(([, vector]) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength))
    if (await store.save(folder, name, Buffer.concat([Buffer.from(head), ...numbers]))) this.unsaved = 0
  }
}

/** Normalized to length 1, so that the dot product is the similarity. */
export function normaliseVector(vector: readonly number[]): Float32Array {
  const size = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  return Float32Array.from(vector, (value) => (size === 0 ? 0 : value / size))
}

function read(kept: Buffer, key: string): Map<string, Float32Array> {
  const end = kept.indexOf(10)
  const parsed = parseJson(kept.toString('utf8', 0, Math.max(end, 0)))
  const head = (parsed.ok ? parsed.value : undefined) as
    | { readonly key?: unknown; readonly length?: unknown; readonly hashes?: unknown }
    | undefined
  const { length, hashes } = head ?? {}
  if (head?.key !== key || typeof length !== 'number' || !Array.isArray(hashes)) return new Map()
  if (kept.length - end - 1 !== hashes.length * length * 4) return new Map()
  // Copied, because the numbers must be aligned to four bytes.
  const bytes = Uint8Array.from(kept.subarray(end + 1))
  const all = new Float32Array(bytes.buffer)
  return new Map(hashes.map((hash, at) => [String(hash), all.slice(at * length, (at + 1) * length)]))
}
