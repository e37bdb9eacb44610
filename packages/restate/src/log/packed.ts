/**
 * Moves large texts out of values before they are recorded. The server refuses entries of more than 32 MiB and retries the attempt
 * forever, so images and long results are stored as blobs, and the log only refers to them.
 */
import type { BlobReference, Blobs } from '../blobs.ts'

type Path = readonly (string | number)[]

/** A value, and the texts in it that are stored elsewhere. The path of a blob that replaces the whole value is empty. */
export type Packed<T> = readonly [value: T] | readonly [value: T | null, blobs: readonly PackedBlob[]]

interface PackedBlob extends BlobReference {
  readonly path: Path
}

/** A packed value, or its JSON. A process that records a value creates the JSON once, for the journal and for the archive. */
export type Stored<T> = Packed<T> | string

export const jsonOf = (stored: Stored<unknown>): string =>
  typeof stored === 'string' ? stored : JSON.stringify(stored)

export const packedOf = <T>(stored: Stored<T>): Packed<T> =>
  typeof stored === 'string' ? (JSON.parse(stored) as Packed<T>) : stored

/** Above this many characters, a value becomes a blob as a whole, even if none of its texts is large. */
const wholeLimit = 512 << 10

/** `limit`: texts with more characters become blobs. */
export async function pack<T>(value: T, limit: number, blobs: Blobs): Promise<Packed<T>> {
  const found: { path: Path; text: string }[] = []
  const rest = extract(value, [], limit, found) as T
  if (JSON.stringify(rest).length > wholeLimit) {
    const reference = await blobs.put(JSON.stringify(value))
    return [null, [{ path: [], ...reference }]]
  }
  if (found.length === 0) return [value]
  const stored = await Promise.all(
    found.map(async ({ path, text }) => ({ path, ...(await blobs.put(text)) })),
  )
  return [rest, stored]
}

/** Returns the JSON of the packed value, and a promise only if the value is large. `store`: packs a value that is large. */
export function packJson<T>(
  value: T,
  limit: number,
  store: (value: T) => Promise<Packed<T>>,
): string | Promise<string> {
  const json = JSON.stringify(value)
  // No text in it is longer than the whole.
  return json.length <= Math.min(limit, wholeLimit) ? `[${json}]` : store(value).then(jsonOf)
}

export async function unpack<T>([value, stored = []]: Packed<T>, blobs: Blobs): Promise<T> {
  if (stored.length === 0) return value as T
  const texts = await Promise.all(stored.map((reference) => blobs.get(reference)))
  if (stored[0]?.path.length === 0) return JSON.parse(texts[0] as string) as T
  const whole = structuredClone(value) as T
  for (const [index, { path }] of stored.entries()) insert(whole, path, texts[index] as string)
  return whole
}

/** Returns the value without its large texts. Copies only what it changes. */
function extract(value: unknown, path: Path, limit: number, found: { path: Path; text: string }[]): unknown {
  if (typeof value === 'string') {
    if (value.length <= limit) return value
    found.push({ path, text: value })
    return ''
  }
  if (typeof value !== 'object' || value === null) return value
  let copy: Record<string, unknown> | undefined
  for (const [key, item] of Object.entries(value)) {
    const rest = extract(item, [...path, key], limit, found)
    if (rest === item) continue
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
    copy[key] = rest
  }
  return copy ?? value
}

function insert(target: unknown, path: Path, text: string): void {
  let place = target as Record<string, unknown>
  for (const key of path.slice(0, -1)) place = place[key] as Record<string, unknown>
  place[path.at(-1) as string] = text
}
