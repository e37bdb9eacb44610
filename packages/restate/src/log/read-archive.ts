import { CadreError, type Entry, type SessionSpec, type StoredSession } from '@cadre/core'
import type { Blobs } from '../blobs.ts'
import type { TreeState } from '../tree-order.ts'
import { type ArchiveHead, chunkKey, headKey, type SessionParts, specKey } from './archive.ts'
import { type Packed, packedOf, unpack } from './packed.ts'

/** Reads the values of keys from a tree's archive. A missing key is null. */
export type ReadKeys = (root: string, keys: readonly string[]) => Promise<readonly (string | null)[]>

/** The key of the object's state that says whether the tree runs. */
export const stateKey = 'state'

/** Chunks are read a few at a time, so that no response becomes too large. */
const keysAtOnce = 8
/** A tree may replace chunks of its archive while they are read. */
export const maxReads = 20

export async function readHead(
  root: string,
  read: ReadKeys,
): Promise<{ head: ArchiveHead | undefined; state: string | null }> {
  const [head, state] = await read(root, [headKey, stateKey])
  return {
    head: typeof head === 'string' ? (JSON.parse(head) as ArchiveHead) : undefined,
    state: state ?? null,
  }
}

/** Returns the session, or `undefined` if the archive does not have it. `known`: the head, if it has been read. */
export async function readStored(
  root: string,
  id: string,
  read: ReadKeys,
  blobs: Blobs,
  known?: ArchiveHead,
): Promise<StoredSession | undefined> {
  for (let tries = 0; tries < maxReads; tries++) {
    const head = tries === 0 && known !== undefined ? known : (await readHead(root, read)).head
    const session = head?.sessions[id]
    if (session === undefined) return undefined
    const chunks = session.chunks.map(([chunk]) => chunk)
    const stored = await readParts(root, id, { ...session, chunks, tail: [], spec: undefined }, read, blobs)
    // The tree has replaced chunks since the head was read.
    if (stored !== undefined) return stored
  }
  throw new CadreError('owned', `the record of ${id} changes too quickly to be read. Try again.`)
}

/** Returns `undefined` if the archive no longer has one of the chunks. `written`: chunks that need not be read. */
export async function readParts(
  root: string,
  id: string,
  { chunks, tail, spec: packedSpec, status, outcome }: SessionParts,
  read: ReadKeys,
  blobs: Blobs,
  written: ReadonlyMap<number, string> = new Map(),
): Promise<StoredSession | undefined> {
  // The tree may replace chunks while others are read.
  const known = new Map(chunks.map((chunk) => [chunk, written.get(chunk)]))
  const missing = chunks.filter((chunk) => known.get(chunk) === undefined).map(chunkKey)
  const keys = packedSpec === undefined ? [specKey(id), ...missing] : missing
  const values = new Map<string, string | null>()
  for (let at = 0; at < keys.length; at += keysAtOnce) {
    const some = keys.slice(at, at + keysAtOnce)
    const found = await read(root, some)
    for (const [index, key] of some.entries()) values.set(key, found[index] ?? null)
  }
  if ([...values.values()].includes(null)) return undefined
  const jsonOf = (chunk: number) => known.get(chunk) ?? (values.get(chunkKey(chunk)) as string)
  const packed = [
    ...chunks.flatMap((chunk) => JSON.parse(jsonOf(chunk)) as Packed<Entry>[]),
    ...tail.map(packedOf),
  ]
  const spec = packedOf<SessionSpec>(packedSpec ?? (values.get(specKey(id)) as string))
  const entries = await Promise.all(packed.map((entry) => unpack(entry, blobs)))
  const plain = await unpack(spec, blobs)
  return {
    spec: plain,
    status,
    outcome: outcome ?? undefined,
    updated: entries.at(-1)?.timestamp ?? plain.created,
    entries,
  }
}

/** The state of a tree as its object stores it: the result may be packed. */
export type StoredTreeState =
  | Exclude<TreeState, { kind: 'rested' }>
  | { readonly kind: 'rested'; readonly result: Packed<Extract<TreeState, { kind: 'rested' }>['result']> }
